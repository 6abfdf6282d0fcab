"""The notebooks of the documentation: every cell runs, and gives what stands in the file.

`python tests/test_notebooks.py` runs them and writes what they give now. Read the difference before you keep it.
"""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
PICTURES = ("image/svg+xml", "image/png")


def executed(path: Path):
    """The notebook with what its cells give now."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    client = NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(path.parent)}})
    client.execute(env=environment())
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"], "language_info": {"name": "python"}}
    return notebook


def environment() -> dict[str, str]:
    from conftest import environment

    return environment(PYTHONWARNINGS="ignore", PYDEVD_DISABLE_FILE_VALIDATION="1")


def outputs(notebook) -> list[list[dict[str, str]]]:
    """What each cell gives, as text and as markup.

    Without pictures and data frames, which differ between versions of what makes them.
    """
    found = []
    for cell in notebook.cells:
        shown = []
        for output in cell.get("outputs", []):
            data = output.get("data", {"text": output.get("text", "")})
            shown.append(
                {kind: text for kind, text in data.items() if kind not in PICTURES and "dataframe" not in text}
            )
        found.append(shown)
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_cells_give_what_stands_in_the_notebook(path, tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    # IPython writes into its home, which need not be there.
    monkeypatch.setenv("HOME", str(tmp_path))
    now = executed(path)
    assert outputs(nbformat.read(path, as_version=4)) == outputs(now)
    assert not [each for cell in now.cells for each in cell.get("outputs", []) if each.output_type == "error"]


def test_no_notebook_holds_a_path_of_a_machine():
    for path in NOTEBOOKS:
        assert not re.search(r"(/home/|/root/|/Users/|/tmp/)", path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    import nbformat

    sys.path.insert(0, str(ROOT / "tests"))
    for each in NOTEBOOKS:
        nbformat.write(executed(each), each)
