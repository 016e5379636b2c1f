// Numbers as the page carries them, and as a reader has them.
const alphabet = [];
for (let c = 35; c < 127; c++) {
  const char = String.fromCharCode(c);
  if (!"\\<>&`'$%".includes(char)) alphabet.push(char);
}
const place = new Map(alphabet.map((char, i) => [char, i]));

// schema.py: characters -> signed whole numbers -> frames
const unpack = ({q, o, m}, size) => {
  const out = [];
  let high = 0;
  for (const char of q) {
    const i = place.get(char);
    if (i > 63) high = high * (alphabet.length - 64) + i - 64;
    else {
      const z = high * 64 + i;
      out.push(z % 2 ? -(z + 1) / 2 : z / 2);
      high = 0;
    }
  }
  while (o--) for (let i = 1; i < out.length; i++) out[i] += out[i - 1];
  if (m) for (let i = size; i < out.length; i++) out[i] += out[i - size];
  return out;
};

// axes.py: the same operations in the same order
const toPlace = (axis, kept, size) => Math.round((kept / 10 ** axis.k - axis.lo) / (axis.hi - axis.lo) * size);
const toText = (axis, kept) => {
  const value = kept / 10 ** axis.k;
  return String(axis.log ? +(10 ** value).toPrecision(3) : +value.toFixed(axis.k));
};

// chart.py: middles as near to the wanted ones as their heights let them be
const spread = (wanted, heights, room) => {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]), out = [];
  let free = 0;
  for (const i of order) free = (out[i] = Math.max(wanted[i], free + heights[i] / 2)) + heights[i] / 2;
  free = room;
  for (const i of order.reverse()) free = (out[i] = Math.min(out[i], free - heights[i] / 2)) - heights[i] / 2;
  return out;
};

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const set = (node, name, value) => node.getAttribute(name) === String(value) || node.setAttribute(name, value);
// Another text in the same node: no node comes or goes, for which a browser would look at the styles of the whole page.
const tell = (node, text) => {
  const own = node.firstChild;
  if (text === (own ? node.textContent : "")) return;
  if (text && own && own.nodeType === 3 && !own.nextSibling) own.data = text;
  else node.textContent = text;
};
const make = (tag, name, parent) => {
  const node = document.createElement(tag);
  node.className = name;
  parent.append(node);
  return node;
};
// The place of a text that changes is that of the longest: those lie below it, unseen, and nothing jumps.
const reserve = (node, texts) => {
  for (const text of texts) {
    const copy = node.cloneNode(false);
    for (const name of ["aria-live", "role"]) copy.removeAttribute(name);
    copy.className = "dpx-size";
    copy.setAttribute("aria-hidden", "true");
    copy.textContent = text;
    node.after(copy);
  }
};
