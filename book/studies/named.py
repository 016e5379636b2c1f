"""The studies by name: which tables each writes, how often it draws, what it reads."""
from __future__ import annotations

from . import (
    ask_once,
    ask_well,
    ask_well_adult,
    bins_tuned,
    both_panels,
    bound_vs_reality,
    communities,
    ding_figures,
    ding_people,
    ding_printed,
    ding_rivals,
    figure1_right,
    left_panel,
    left_panel_games,
    left_panel_table,
    panels,
    post_processing_compared,
    tran_apart,
    tran_curves,
    tran_encoding,
    tran_figures,
    tran_people,
    tran_printed,
    tran_table2,
)
from .study import Study


def _communities(settings: list[dict]) -> tuple[dict[str, str], ...]:
    """The rules by which Communities and Crime is read, each pair once."""
    pairs = dict.fromkeys((setting.get("group", "paper"), setting.get("label", "p70")) for setting in settings)
    return tuple({"name": "communities", "group": group, "label": label} for group, label in pairs)


#: The studies by name.
STUDIES: dict[str, Study] = {
    "figure1_right": Study(
        "Figure 1, right panel: Algorithm 1 as printed on Communities and Crime, epsilon 1, 2, 3, 5 and none, 72 gammas.", 4000,
        {"figure1_right": (figure1_right.FIGURE1, figure1_right.curves), "figure1_right_q": (figure1_right.FIGURE1, figure1_right.quality)},
        _communities([{}])),
    "communities_q": Study(
        "Four releases of the table compared on Communities and Crime by Q, two group rules, in-sample and held-out.", 1200,
        {"communities_curves": (communities.RELEASES + communities.NOT_PRIVATE, panels.curves),
         "communities_q": (communities.RELEASES, panels.quality)}, _communities(communities.RELEASES)),
    "bins_tuned": Study(
        "Which score bins: mean Q over drawn populations, by m, m epsilon, number of bins and criterion; behind the defaults.", 40,
        {"bins_tuned": (bins_tuned.TUNED, bins_tuned.tuned)}),
    "communities_panel": Study(
        "Communities and Crime, default rules: four methods, 6 epsilons, 25 gammas, with error bars.", 300,
        {"communities_panel": (communities.PANEL, panels.curves)}, _communities(communities.PANEL)),
    "communities_rules": Study(
        "The same panel and its Q for every group rule and label rule, in-sample and held-out.", 1200,
        {"communities_rules": (communities.RULES + communities.RULES_NOT_PRIVATE, panels.curves),
         "communities_rules_q": (communities.RULES, panels.quality)},
        _communities(communities.RULES)),
    "communities_targets": Study(
        "What a quality and a violation cost: Q and error at violation .05 from epsilon .01 to 50; epsilon at Q = .8.", 1200,
        {"communities_quality": (communities.TARGETS, panels.quality_and_error),
         "communities_epsilon": (communities.AT_Q, communities.epsilon_target)},
        _communities(communities.TARGETS)),
    "post_processing_compared": Study(
        "Which method when: error at violation .05 and Q on Communities, Adult and drawn populations, by m, k and epsilon.", 1200,
        {"post_processing_compared": (post_processing_compared.COMPARED, post_processing_compared.compared)},
        _communities([{}]) + ({"name": "adult"},)),
    "left_reference": Study(
        "The non-private reference of in-processing: mixtures of the regression oracle's answers, four group rules; nothing is drawn.", 24,
        {"left_reference": (left_panel.REFERENCES, left_panel.reference_rows),
         "left_reference_thresholds": (left_panel.REFERENCES, left_panel.second_rows)},
        left_panel.reads(left_panel.REFERENCES)),
    "left_methods": Study(
        "The methods of the left panel in the words of the book; nothing is drawn.", 24,
        {"left_methods": (left_panel_table.METHODS, left_panel_table.words)}),
    "left_oneshot": Study(
        "Left panel by asking well: 6 epsilons, 25 gammas; four group rules, in-sample.", 36,
        {"left_oneshot": (ask_once.CURVES, ask_once.curves)}, left_panel.reads(ask_once.CURVES)),
    "left_asked_rules": Study(
        "Asking well, on people that it has not seen, and by the other label: four group rules.", 36,
        {"left_asked_rules": (ask_once.ASKED_RULES, ask_once.rules)}, left_panel.reads(ask_once.ASKED_RULES)),
    "left_aside": Study(
        "Two group rules that were set aside until the constants of asking well stood: its Q.", 36,
        {"left_aside": (ask_well.ASIDE, ask_well.aside)}, left_panel.reads(ask_well.ASIDE)),
    "left_last": Study(
        "Thirteen group rules tried last: Q of asking well at epsilon 1.", 30,
        {"left_last": (ask_well.LAST, ask_well.aside)}, left_panel.reads(ask_well.LAST)),
    "asking_tuned": Study(
        "The constants of asking well: mean Q over drawn populations, one constant changed at a time.", 24,
        {"asking_tuned": (ask_well.TUNING, ask_well.tuned)}),
    "first_shares": Study(
        "How much of epsilon for the first question, for these people and for people to come: Q over drawn populations.", 24,
        {"first_shares": (ask_well.SHARES, ask_well.first_share)}),
    "ask_well_adult": Study(
        "Asking well on Adult by demographic parity, logistic and boosted base: test error at test gaps of .02 and .05.", 24,
        {"ask_well_adult": (ask_well_adult.ADULT, ask_well_adult.at_gap)}, ask_well_adult.READS),
    "left_at_violation": Study(
        "Asked well, default rules: the error offered at violation .05 with its interval, of the draws of left_oneshot.", 36,
        {"left_at_violation": (ask_once.BESIDE_RIGHT, ask_once.at_violation)}, left_panel.reads(ask_once.BESIDE_RIGHT)),
    "left_literal": Study(
        f"Left panel, Section 5's learner by an author's settings, T at most {left_panel_games.LITERAL_ROUNDS}: two readings of the noise.",
        30,
        {"left_literal": (left_panel_games.LITERAL, left_panel_games.literal)}, ({"name": "communities", "features": "unprotected"},)),
    "left_repaired": Study(
        "Left panel, the same loop repaired: noise on A's part of X'C in each round, sensitivities and accounting tight.", 30,
        {"left_repaired": (left_panel_games.REPAIRED, left_panel_games.repaired)},
        left_panel.reads([setting | {"label": "p70"} for setting in left_panel_games.REPAIRED])),
    "left_repaired_held_out": Study(
        "The repaired loop by its better mix on people it has not seen, four group rules, 30 runs on each of the 12 splits.", 30,
        {"left_repaired_held_out": (left_panel_games.REPAIRED_HELD_OUT, left_panel_games.repaired_held_out)},
        left_panel.reads([setting | {"label": "p70"} for setting in left_panel_games.REPAIRED_HELD_OUT])),
    "left_repaired_tuning": Study(
        f"The constants of the repaired loop: mean Q over drawn populations, {len(left_panel_games.LOOPS_FIRST)} variants, "
        "then the neighbours.", 48,
        {"left_repaired_tuning": (left_panel_games.LOOP_TUNING, left_panel_games.loop_tuned)}),
    "both_panels": Study(
        "Both panels of Figure 1 in a minute: asking well on the left, four methods on the right, Figure 1's own epsilons and gammas.", 100,
        {"both_panels": (both_panels.BOTH_PANELS, both_panels.both_panels)},
        _communities([{}]) + ({"name": "communities", "features": "unprotected"},)),
    "bound_vs_reality": Study(
        "Theorem 2.2: its error and fairness bounds, printed and sharp, beside simulated quantiles over (m, epsilon, |A|, beta).",
        1000, {"bound_vs_reality": (bound_vs_reality.BOUNDS, bound_vs_reality.bound)}),
    "tran_encoding": Study(
        "Bank with categories as mean labels, as the authors' loader has them, against one-hot: accuracy, also where labels are coins.", 24,
        {"tran_encoding": (tran_encoding.ENCODED, tran_encoding.leak)}, ({"name": "bank"},)),
    "tran_apart": Study(
        "Why rows without privacy are apart from the printed ones: Bank's encoding, and the gaps asked for.", 24,
        {"tran_apart": (tran_apart.APART, tran_apart.apart)}, tuple(tran_people.SETS[data] for data in ("bank", "income", "compas"))),
    "tran_printed": Study(
        "Table 2 of Tran et al. as printed, transcribed; nothing is drawn.", 24,
        {"tran_printed": (tran_printed.PRINTED, tran_printed.printed)}, source="Tran et al. 2020, Table 2, transcribed"),
    "tran_table2": Study(
        "Table 2 of Tran et al. made again: five data sets, three notions, five folds, the paper's learners and the book's.", 24,
        {"tran_table2": (tran_table2.TABLE2, tran_table2.table2)}, tuple(tran_people.SETS.values())),
    "tran_curves": Study(
        "Beside Table 2: what the learner that asks offers at every gap, from one release a fold.", 24,
        {"tran_curves": (tran_curves.CURVES, tran_curves.curves)}, tuple(tran_people.SETS.values())),
    "tran_figures": Study(
        "Figures 1 to 5 of Tran et al. made again: epsilon, the two clips, people who do not say their group.", 24,
        {"tran_epsilon": (tran_figures.FIGURE1, tran_figures.over_epsilon), "tran_clip": (tran_figures.CLIPPED, tran_figures.clipped),
         "tran_dual_clip": (tran_figures.DUAL_CLIPPED, tran_figures.dual_clipped),
         "tran_missing": (tran_figures.SILENT, tran_figures.silent)},
        tuple(tran_people.SETS[data] for data in ("bank", "compas", "income"))),
    "ding_figures": Study(
        "Figures 1 to 3 and Table 1 of Ding et al. 2020 made again, printed and sharp: Adult, and Census-Income for their US extract.", 24,
        {"ding_runs": (ding_figures.FIGURES, ding_figures.figures)}, ding_people.READS),
    "ding_printed": Study(
        "Table 1 of Ding et al. 2020 as printed; nothing is drawn.", 24, {"ding_printed": (ding_printed.PRINTED, ding_printed.printed)},
        source="Ding et al. 2020, Table 1, transcribed"),
    "ding_rivals": Study(
        "Learners that protect a whole tuple on Adult, one-hot: moments, AdaSSP, DP-SGD and diffprivlib over epsilon.", 24,
        {"ding_trials": (ding_rivals.TRIALS, ding_rivals.trial), "ding_rivals": (ding_rivals.RIVALS, ding_rivals.rivals)},
        ding_people.READS[1:2]),
}
