/** A conversation as one file that opens without a network: answers, checks, steps and pictures, nothing that runs. */
import { bareClaim, checksSentence } from "./checks_sentence.ts";
import { verdict } from "./claims.ts";
import { claimsOfPart, endingOf, handlesOf, type Exported, type ExportedNote } from "./exported.ts";
import { blocksOf, renderWithVerdicts } from "./markdown.ts";
import { lastPicture, stepsSentence, withSteps } from "./steps_of_turn.ts";
import type { TextPart, ToolPart, Turn } from "./turn.ts";

const STYLE = `
:root { color-scheme: light dark; --soft: light-dark(#5c554d, #aca69e); --wrong: light-dark(#b4232c, #ff8f8f); --tint: light-dark(#f3f0ec, #1d1d20); color: light-dark(#1c1917, #edeae5); background: light-dark(#fff, #141416); }
a { color: light-dark(#b93a07, #ff9248); }
body { max-width: 820px; margin: 2rem auto; padding: 0 1rem; font: 15px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.1rem; } .written { white-space: pre-wrap; unicode-bidi: isolate; } .question { padding: .5rem .9rem; border-radius: 12px; background: var(--tint); white-space: pre-wrap; }
section { margin-top: 2rem; } img { max-width: 100%; border: 1px solid #8884; border-radius: 6px; background: #fff; }
code, pre { font-family: ui-monospace, monospace; font-size: .92em; unicode-bidi: isolate; }
pre { overflow: auto; max-height: 30rem; padding: .6rem; background: var(--tint); white-space: pre-wrap; }
table { border-collapse: collapse; } th, td { padding: .15rem .8rem .15rem 0; border-bottom: 1px solid #8884; text-align: left; }
td.align-right, th.align-right { text-align: right; } .claim { color: inherit; background: none; }
.claim[data-status="contradicted"], .claim[data-status="not_found"] { text-decoration: underline wavy var(--wrong); }
.verdict { color: var(--wrong); } .note, summary { color: var(--soft); font-size: .9em; } details { margin: .6rem 0; }
details details { margin-left: 1rem; } li[data-wrong] { color: var(--wrong); }`;
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";
const LONGEST_RESULT = 20_000;

type Load = (url: string) => Promise<string | null>;

/** HTML; `picture` gives the bytes of an address as a data URL, or null where they cannot be had. */
export async function exportedPage(exported: Exported, picture: Load): Promise<string> {
  const { title, traceName, address, turns, chart, notes } = exported;
  const sections: string[] = [];
  if (chart) sections.push(await figure(chart, "The chart of the trace", picture));
  for (const turn of turns) sections.push(await sectionOf(turn, address, picture));
  if (notes.length > 0) sections.push(notesSection(notes));
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
<main>
<h1 dir="auto">${escaped(title)}</h1>
<p class="note">Trace: <a href="${escaped(address)}"><bdi>${escaped(traceName)}</bdi></a></p>
${sections.join("\n")}
</main>
</html>
`;
}

function notesSection(notes: ExportedNote[]): string {
  const items = notes.map(
    ({ name, text, address }) =>
      `<li><a href="${escaped(address)}"><bdi>${escaped(name)}</bdi></a>: <span class="written" dir="auto">${escaped(text)}</span></li>`,
  );
  return `<section>\n<h2>Notes</h2>\n<ul>${items.join("\n")}</ul>\n</section>`;
}

async function sectionOf(turn: Turn, address: string, picture: Load): Promise<string> {
  const newest = lastPicture(turn.parts);
  const parts: string[] = turn.prompt === null ? [] : [`<p class="question" dir="auto">${escaped(turn.prompt)}</p>`];
  for (const part of withSteps(turn.parts))
    parts.push(part.kind === "text" ? answer(turn, part, address) : await steps(part.tools, newest, picture));
  if (newest) parts.push(await figure(newest.imageUrl!, "Flamegraph", picture));
  const ending = endingOf(turn);
  if (ending) parts.push(`<p class="note">${escaped(ending)}</p>`);
  parts.push(checks(turn));
  return `<section>\n${parts.join("\n")}\n</section>`;
}

function answer(turn: Turn, part: TextPart, address: string): string {
  const claims = claimsOfPart(turn, part);
  const handles = handlesOf(turn);
  const rendered = blocksOf(part.text).map((block, index) => renderWithVerdicts(block, claims[index] ?? [], handles));
  return rendered.join("").replaceAll('href="#', `href="${escaped(address)}#`);
}

async function steps(tools: ToolPart[], newest: ToolPart | null, picture: Load): Promise<string> {
  const cards: string[] = [];
  for (const tool of tools) {
    const text = tool.text ?? "";
    const shown = text.length > LONGEST_RESULT ? `${text.slice(0, LONGEST_RESULT)}\n… (longer)` : text;
    const drawn = tool.imageUrl && tool !== newest ? await figure(tool.imageUrl, "Flamegraph", picture) : "";
    const name = tool.message || tool.toolName;
    cards.push(
      `<details><summary dir="auto">${escaped(name)}</summary>\n${drawn}<pre dir="auto" tabindex="0">${escaped(shown)}</pre></details>`,
    );
  }
  return `<details><summary>${escaped(stepsSentence(tools, null))}</summary>\n${cards.join("\n")}</details>`;
}

/** What became of each claim, wrong ones first. */
function checks({ checks }: Turn): string {
  const sentence = checksSentence(checks);
  if (!sentence) return "";
  const rank = (status: string) =>
    ["contradicted", "not_found", "unchecked", "external", "derived", "verified"].indexOf(status);
  const items = [...checks]
    .sort((a, b) => rank(a.status) - rank(b.status))
    .map((check) => {
      const wrong = rank(check.status) < 2 ? " data-wrong" : "";
      return `<li${wrong}><bdi>${escaped(bareClaim(check.claim))}</bdi>: ${escaped(verdict(check))}</li>`;
    });
  return `<details><summary>Against the trace: ${escaped(sentence)}.</summary>\n<ul>${items.join("\n")}</ul></details>`;
}

async function figure(url: string, name: string, picture: Load): Promise<string> {
  const data = await picture(url);
  if (!data) return `<p class="note">${escaped(name)}: the picture cannot be loaded.</p>`;
  return `<p><img src="${escaped(data)}" alt="${escaped(name)}"></p>`;
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => ENTITIES[letter]!);
}
