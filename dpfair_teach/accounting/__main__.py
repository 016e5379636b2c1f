"""``python -m dpfair_teach.accounting``: what every accountant says of the same releases, beside brute force."""
from .side_by_side import side_by_side

if __name__ == "__main__":
    print(side_by_side().to_string(float_format="{:.5g}".format, na_rep="-"))
