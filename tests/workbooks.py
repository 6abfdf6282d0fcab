"""Workbooks of Excel."""

import io
import zipfile
from xml.sax.saxutils import escape


def workbook(rows, text=str) -> bytes:
    """The smallest workbook, as programs write it: numbers are doubles, and true and false have a type of their own."""

    def cell(held):
        if isinstance(held, bool):
            return f'<c t="b"><v>{int(held)}</v></c>'
        if isinstance(held, int | float):
            return f"<c><v>{held!r}</v></c>"
        return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(text(held))}</t></is></c>'

    lines = "".join(f"<row>{''.join(map(cell, line))}</row>" for line in rows)
    types = "application/vnd.openxmlformats-officedocument.spreadsheetml."
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{types}sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{types}worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook {main} xmlns:r="{relations}">'
        '<sheets><sheet name="one" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f"<worksheet {main}><sheetData>{lines}</sheetData></worksheet>",
    }
    with zipfile.ZipFile(written := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>{part}')
    return written.getvalue()
