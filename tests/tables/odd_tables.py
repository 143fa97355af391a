"""Tables as people have them: every kind of file and cell that ours must read.

``python tests/tables/odd_tables.py FOLDER`` writes them all, to look at.
"""

import gzip
import sys
from pathlib import Path

import numpy as np
import pandas as pd

N = 60
SEED = 0


def base():
    """A table with nothing odd about it, seeded; ``answer`` is the target."""
    rng = np.random.default_rng(SEED)
    answer = np.where(rng.random(N) < 0.4, "yes", "no")
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, N),
            "income": (rng.lognormal(8, 0.5, N)).round(2),
            "city": rng.choice(["Köln", "Zürich", "Łódź"], N),
            "answer": answer,
        }
    )


def german(number, digits=2):
    """1.234,50"""
    text = f"{number:,.{digits}f}"
    return text.replace(",", " ").replace(".", ",").replace(" ", ".")


def moments(n=N):
    rng = np.random.default_rng(SEED + 1)
    return pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D")


def quotes(folder):
    frame = base()
    frame["remark"] = np.where(np.arange(N) % 2, 'said "no", twice', "a, b; c")
    frame.to_csv(folder / "quotes.csv", index=False, quoting=1)


def semicolons(folder):
    frame = base()
    frame["income"] = frame["income"].map(german)
    frame["rate"] = [f"{i % 7},{i % 10}" for i in range(N)]
    frame["stock"] = [f"{1 + i % 9}.{i % 8}00" for i in range(N)]
    frame.to_csv(folder / "semicolons.csv", index=False, sep=";")


def thousands(folder):
    frame = base()
    frame["income"] = [f"{one * 100:,.2f}" for one in frame["income"]]
    frame["visits"] = [f"{1 + i % 9},{i % 8}00" for i in range(N)]
    frame["swiss"] = [f"{1 + i % 9}'{i % 8}00.50" for i in range(N)]
    frame.to_csv(folder / "thousands.csv", index=False)


def money(folder):
    frame = base()
    frame["income"] = [f"{german(one)} €" for one in frame["income"]]
    frame["share"] = [f"{i % 9},5 %" for i in range(N)]
    frame["fee"] = [f"${i % 9}.50" for i in range(N)]
    frame["balance"] = [f"({i % 9}.50)" if i % 2 else f"{i % 9}.5" for i in range(N)]
    frame.to_csv(folder / "money.csv", index=False)


def dates(folder):
    frame, days = base(), moments()
    frame["iso"] = days.strftime("%Y-%m-%d")
    frame["german"] = days.strftime("%d.%m.%Y")
    frame["american"] = days.strftime("%m/%d/%Y")
    frame["clock"] = (days + pd.Timedelta("9h30min")).strftime("%Y-%m-%d %H:%M:%S")
    frame["compact"] = days.strftime("%Y%m%d")
    frame["open"] = [f"{1 + i % 9}/{1 + i % 12}/2024" for i in range(N)]
    frame.to_csv(folder / "dates.csv", index=False)


def ids(folder):
    frame = base()
    frame.insert(0, "customer_id", np.arange(N) * 7 + 100_003)
    frame["code"] = [f"X{i:05d}" for i in range(N)]
    frame["plz"] = [f"{(i * 37) % 20:02d}067" for i in range(N)]
    frame.to_csv(folder / "ids.csv")  # with pandas' unnamed index


def missing(folder):
    frame = base().astype({"age": object, "income": object})
    frame.loc[3, "age"], frame.loc[9, "age"] = "-", "n/a"
    frame.loc[4, "income"], frame.loc[5, "income"] = "k.A.", "#DIV/0!"
    frame["since"] = moments().strftime("%d.%m.%Y").astype(object)
    frame.loc[7, "since"] = "-"
    frame["sign"] = ["+" if i % 3 else "-" for i in range(N)]
    frame["empty"] = ""
    frame.to_csv(folder / "missing.csv", index=False)


def mixed(folder):
    frame = base().astype({"age": object})
    frame.loc[11, "age"] = "refused"
    frame["grade"] = [["1", "2", "A", "B"][i % 4] for i in range(N)]
    frame.to_csv(folder / "mixed.csv", index=False)


def unicode(folder):
    frame = base().rename(columns={"age": "年齢", "city": "  Straße  "})
    frame["emoji"] = [["✓", "✗"][i % 2] for i in range(N)]
    frame.to_csv(folder / "unicode.csv", index=False)


def booleans(folder):
    frame = base()
    frame["active"] = [["TRUE", "FALSE"][i % 2] for i in range(N)]
    frame["aktiv"] = [["WAHR", "FALSCH"][i % 2] for i in range(N)]
    frame["flag"] = np.arange(N) % 2
    frame.to_csv(folder / "booleans.csv", index=False)


def constants(folder):
    frame = base()
    frame["year"], frame["country"] = 2024, "DE"
    frame["cost_no"] = np.where(frame["answer"] == "no", 0, 9)
    frame["cost_yes"] = np.where(frame["answer"] == "yes", 0, 1)
    frame["outcome"] = np.where(frame["answer"] == "yes", "paid", "lost")
    frame.to_csv(folder / "constants.csv", index=False)


def header(folder):
    frame = base()
    frame["second"] = np.arange(N) % 5
    text = frame.to_csv(index=False).replace("second", "age", 1)
    (folder / "header.csv").write_text(text, encoding="utf-8")


def marks(folder):
    """A byte order mark, and the line ends of Windows."""
    text = base().to_csv(index=False, lineterminator="\r\n")
    (folder / "bom.csv").write_bytes(text.encode("utf-8-sig"))
    (folder / "utf16.csv").write_bytes(text.encode("utf-16"))
    plain = base().replace({"Łódź": "Łódź".encode("ascii", "ignore").decode()})
    plain.to_csv(folder / "cp1252.csv", index=False, encoding="cp1252", sep=";")


def typed(folder):
    """TSV, gzip, Parquet and Excel, with cells that have types."""
    frame = base()
    frame.to_csv(folder / "tabs.tsv", index=False, sep="\t")
    with gzip.open(folder / "packed.csv.gz", "wt", encoding="utf-8") as file:
        frame.to_csv(file, index=False)
    frame["joined"] = moments()
    frame["active"] = np.arange(N) % 2 == 0
    frame.to_parquet(folder / "typed.parquet")
    index = np.random.default_rng(SEED).permutation(N)
    frame.set_index(index).to_parquet(folder / "indexed.parquet")


def workbook(folder):
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Kunden"
    frame = base()
    frame["joined"] = moments()
    frame["active"] = np.arange(N) % 2 == 0
    frame = frame.astype(object)
    frame.loc[2, "age"] = "n/a"
    sheet.append([])
    sheet.append(list(frame.columns))
    for row in frame.itertuples(index=False):
        sheet.append([one.item() if hasattr(one, "item") else one for one in row])
    book.create_sheet("notes").append(["nothing"])
    book.save(folder / "book.xlsx")


TABLES = (
    quotes, semicolons, thousands, money, dates, ids, missing, mixed, unicode, booleans,
    constants, header, marks, typed, workbook,
)  # fmt: skip


def write_all(folder):
    """All of them into one folder."""
    for make in TABLES:
        make(Path(folder))


if __name__ == "__main__":
    write_all(sys.argv[1])
