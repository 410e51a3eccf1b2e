/** Rows as comma-separated values (RFC 4180). */

type Cell = string | number | null;

/** What a spreadsheet would take for a formula (OWASP, "CSV Injection"). */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * Lines that end with CR LF. A text that a spreadsheet would run as a formula gets an apostrophe before it; what is
 * unknown is empty.
 */
export function csvOf(header: string[], rows: Iterable<Cell[]>): string {
  const lines = [header.map(cellOf).join(",")];
  for (const row of rows) lines.push(row.map(cellOf).join(","));
  return lines.join("\r\n") + "\r\n";
}

function cellOf(cell: Cell): string {
  if (cell === null || (typeof cell === "number" && !Number.isFinite(cell))) return "";
  if (typeof cell === "number") return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Hand a file to the person. */
export function saveCsv(text: string, name: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = `${name}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000); // the browser may still be reading it
}

/** A name that every file system takes. */
export function fileNameOf(...parts: string[]): string {
  const kept = parts
    .join(" ")
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}._-]+/gu, "-");
  return [...kept.replace(/^[-.]+|[-.]+$/g, "")].slice(0, 80).join("") || "table";
}
