"""What a workbook would fetch, run or calculate in Excel is left alone, and kept as it is (RELIABILITY 20)."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter
from provider import Provider

pytestmark = pytest.mark.no_cover

ROOT = Path(__file__).parents[2]
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
GUARD = """
import os, sys

def barred(event, arguments):
    outside = ("socket.connect", "socket.get", "socket.send", "subprocess.", "os.exec", "os.posix_spawn", "os.system")
    is_outside = event.startswith(outside) and event != "socket.gethostname"
    if is_outside or (event == "open" and "outside.xlsx" in str(arguments[0])):
        sys.__stderr__.write(f"barred: {event} {arguments}\\n")
        sys.__stderr__.flush()
        os._exit(99)

sys.addaudithook(barred)
from click.testing import CliRunner
from grader.cli.main import cli

inputs = ["--criteria", "criteria.xlsm", "--answers", "apollo.jsonl"]
for words in (["check", *inputs], ["score", *inputs, "--out", "run", "--model", "offline", "--quiet"]):
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
"""


def parts_that_reach_out(*addresses: str) -> dict[str, tuple[str, str, str]]:
    """The kind, the content type's end and the content of parts by name: links to `addresses`, a query, macros."""
    link = f'<externalLink xmlns="{MAIN}" xmlns:r="{RELATIONS}"><externalBook r:id="rId1"/></externalLink>'
    query = f'<connection id="1" name="w" type="4" refreshOnLoad="1"><webPr url="{addresses[0]}"/></connection>'
    links = {
        f"externalLinks/externalLink{number}.xml": ("externalLink", "externalLink+xml", link)
        for number in range(1, len(addresses) + 1)
    }
    return {
        **links,
        "connections.xml": ("connections", "connections+xml", f'<connections xmlns="{MAIN}">{query}</connections>'),
        "vbaProject.bin": ("vbaProject", "vbaProject", 'Sub Auto_Open(): Shell "touch ran": End Sub'),
    }


@pytest.fixture
def kept(provider: Provider, tmp_path: Path) -> dict[str, str]:
    """The parts of a workbook with macros that reach out, by name; it stands in the folder, beside an answer."""
    url = f"http://127.0.0.1:{provider.port}/"
    addresses = (f"{url}outside.xlsx", (tmp_path / "outside.xlsx").as_uri())
    with xlsxwriter.Workbook(str(tmp_path / "plain.xlsx")) as workbook:
        sheet = workbook.add_worksheet("Criteria")
        sheet.write_row(0, 0, ["id", 25, 50])
        sheet.write(1, 0, 1)
        sheet.write_formula(1, 1, "=[1]Sheet1!A1", None, "(1) mention the moon")
        sheet.write_formula(1, 2, f'=WEBSERVICE("{url}")', None, "(1) name the date")
    found = parts_that_reach_out(*addresses)
    types, relations = "", ""
    for number, (name, (kind, type_, _)) in enumerate(found.items()):
        types += f'<Override PartName="/xl/{name}" ContentType="application/vnd.ms-excel.{type_}"/>'
        relations += f'<Relationship Id="rId9{number}" Type="{RELATIONS}/{kind}" Target="{name}"/>'
    kept = {f"xl/{name}": content for name, (_, _, content) in found.items()}
    for number, address in enumerate(addresses, 1):
        to = f'<Relationship Id="rId1" Type="{RELATIONS}/externalLinkPath" Target="{address}" TargetMode="External"/>'
        name = f"xl/externalLinks/_rels/externalLink{number}.xml.rels"
        kept[name] = f'<Relationships xmlns="{PACKAGE}">{to}</Relationships>'
    references = '<externalReferences><externalReference r:id="rId90"/><externalReference r:id="rId91"/>'
    changes = {
        "</Types>": f"{types}</Types>",
        "openxmlformats-officedocument.spreadsheetml.sheet.main": "ms-excel.sheet.macroEnabled.main",
        "</Relationships>": f"{relations}</Relationships>",
        "</sheets>": f"</sheets>{references}</externalReferences>",
    }
    with (
        zipfile.ZipFile(tmp_path / "plain.xlsx") as before,
        zipfile.ZipFile(tmp_path / "criteria.xlsm", "w") as after,
    ):
        for name in before.namelist():
            text = before.read(name).decode()
            if name in ("[Content_Types].xml", "xl/_rels/workbook.xml.rels", "xl/workbook.xml"):
                for old, new in changes.items():
                    text = text.replace(old, new)
            after.writestr(name, text)
        for name, text in kept.items():
            after.writestr(name, text)
    (tmp_path / "plain.xlsx").rename(tmp_path / "outside.xlsx")
    (tmp_path / "apollo.jsonl").write_text('{"id": 1, "question": "Where?", "answer": "The moon."}', "utf-8")
    return kept


def test_links_and_macros_are_neither_followed_nor_run_and_stay(
    kept: dict[str, str], provider: Provider, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", GUARD],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert provider.history == []
    assert not (tmp_path / "ran").exists()
    with zipfile.ZipFile(tmp_path / "run" / "graded.xlsm") as package:
        assert {name: package.read(name).decode() for name in kept} == kept
    graded = openpyxl.load_workbook(tmp_path / "run" / "graded.xlsm", data_only=True, keep_links=False)
    assert graded["Criteria"]["B2"].value == "(1) mention the moon"


def test_openpyxl_parses_xml_by_the_library_that_refuses_entities() -> None:
    """It does so by itself where that library is there; nothing else makes it."""
    assert openpyxl.DEFUSEDXML
