/**
 * Answers as HTML that is safe to insert: no raw HTML, no images (an address in an answer must not make the browser fetch it),
 * no links but citations and http(s), no inline styles (the content security policy refuses them).
 */
import MarkdownIt, { type Token } from "markdown-it";
import { parseAddress, placeOf, profileOf } from "./addresses.ts";
import { markClaims, placesOf, type Claim } from "./claims.ts";
import type { FigurePlace } from "../protocol.ts";
import type { Closing } from "./unclosed.ts";

const HANDLE_LINK = /^#?([fpns]\d+)$/;
const DOCUMENT_LINK = /^#?(k\d{1,18})$/;
const FIGURE_LINK = /^#[^.]*\./;
/** As markdown-it has it before it looks for blocks. */
const LINE_END = /\r\n?/g;
const WEB_LINK = /^https?:\/\//i;

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
markdown.validateLink = (address) =>
  HANDLE_LINK.test(address) || DOCUMENT_LINK.test(address) || WEB_LINK.test(address) || isFigure(address);
markdown.disable("image");
markClaims(markdown);

markdown.renderer.rules.link_open = (tokens, index, options, _environment, renderer) => {
  const token = tokens[index]!;
  const address = String(token.attrGet("href") ?? "");
  const handle = HANDLE_LINK.exec(address)?.[1];
  const found = token.meta?.place as FigurePlace | undefined;
  const place = found?.handle ?? (isFigure(address) && placeOfFigure(address));
  if (DOCUMENT_LINK.test(address)) {
    // Document and heading are named below the answer: there is nothing in the chart to go to.
    token.attrs = [
      ["class", "document-citation"],
      ["title", "From a document, which is named below"],
    ];
  } else if (place) {
    token.attrs = [
      ["href", `#${place}`],
      ["class", "citation figure"],
      ["data-address", address.replace(/^#/, "")],
      ["title", `Show ${place} in the chart`],
    ];
    const profile = found ? found.profile : profileOfFigure(address);
    if (profile && !place.startsWith("p")) token.attrs.push(["data-profile", profile]);
    if (found?.window) token.attrs.push(["data-window", `${found.window.start},${found.window.end}`]);
  } else if (handle) {
    token.attrSet("href", `#${handle}`);
    token.attrSet("class", "citation");
    token.attrSet("title", `Show ${handle} in the chart`);
  } else {
    token.attrSet("target", "_blank");
    token.attrSet("rel", "noopener noreferrer nofollow");
  }
  return renderer.renderToken(tokens, index, options);
};

/** Whether a link is that of a figure: with a hash also when its address is malformed, without one only when it is not. */
function isFigure(address: string): boolean {
  return FIGURE_LINK.test(address) || !("error" in parseAddress(address));
}

/** The handle that a figure's link leads to; null where it leads nowhere in the chart. */
function placeOfFigure(address: string): string | null {
  const parsed = parseAddress(address);
  return "error" in parsed ? null : placeOf(parsed);
}

function profileOfFigure(address: string): string | null {
  const parsed = parseAddress(address);
  return "error" in parsed ? null : profileOf(parsed);
}

/** What a block is rendered with: its claims, the handles that exist (null while that is not known), and whether wrong claims say so. */
type Environment = { claims?: Claim[]; handles?: ReadonlySet<string> | null; verdicts?: boolean };

markdown.core.ruler.push("citations", (state) => {
  const { handles, claims } = state.env as Environment;
  const places = placesOf(claims ?? []);
  for (const { children } of state.tokens) {
    let isLost = false; // a link to what does not exist becomes text; links hold no links
    for (const token of children ?? []) {
      const address = token.type === "link_open" ? String(token.attrGet("href")) : "";
      const handle = HANDLE_LINK.exec(address)?.[1];
      const place = address ? places.get(address.replace(/^#/, "")) : undefined;
      if (place) token.meta = { place };
      else if (address && isFigure(address) && !placeOfFigure(address)) {
        isLost = true;
        token.attrs = [["class", "figure"]];
      } else if (handle && handles && !handles.has(handle)) {
        isLost = true;
        token.attrs = [
          ["class", "uncited"],
          ["title", `There is no ${handle} in this trace`],
        ];
      }
      if (!isLost || (token.type !== "link_open" && token.type !== "link_close")) continue;
      isLost = token.type === "link_open";
      token.type = "uncited";
      token.tag = "span";
    }
  }
});

const ALIGNMENT = /text-align:\s*(left|center|right)/;
for (const rule of ["th_open", "td_open"] as const) {
  markdown.renderer.rules[rule] = (tokens, index, options, _environment, renderer) => {
    const token = tokens[index]!;
    const alignment = ALIGNMENT.exec(String(token.attrGet("style") ?? ""))?.[1];
    token.attrs = (token.attrs ?? []).filter(([name]) => name !== "style");
    if (alignment) token.attrSet("class", `align-${alignment}`);
    return renderer.renderToken(tokens, index, options);
  };
}
markdown.renderer.rules.table_open = () =>
  '<div class="table-scroll" tabindex="0" role="region" aria-label="Table"><table>';
markdown.renderer.rules.table_close = () => "</table></div>";

/** The source of each top-level block, so that a growing answer renders only its last one again. */
export function blocksOf(text: string): string[] {
  const lines = text.split("\n");
  const starts: number[] = [];
  const tokens: Token[] = [];
  // Blocks alone: what stands within them is parsed when they are rendered.
  markdown.block.parse(text.replace(LINE_END, "\n"), markdown, {}, tokens);
  for (const token of tokens) {
    const isShown = token.type !== "reference_definition"; // it stays in the block before it
    if (isShown && token.level === 0 && token.map && token.nesting >= 0) starts.push(token.map[0]);
  }
  if (starts.length === 0) return text.trim() ? [text] : [];
  starts[0] = 0;
  return starts.map((start, index) => lines.slice(start, starts[index + 1] ?? lines.length).join("\n"));
}

/**
 * One block as HTML, its claims marked and citations of what does not exist unlinked. While it is `growing`, half-typed emphasis, code
 * and links are closed first.
 */
export function renderBlock(
  source: string,
  close: Closing | null,
  claims: Claim[] = [],
  handles: ReadonlySet<string> | null = null,
): string {
  const environment: Environment = { handles, claims: placeable(source, claims) };
  return markdown.render(close ? close(source) : source, environment);
}

/** One block for readers who cannot point at anything: behind each wrong claim stands what the trace says of it. */
export function renderWithVerdicts(source: string, claims: Claim[], handles: ReadonlySet<string> | null): string {
  return markdown.render(source, withVerdicts(source, claims, handles));
}

/** What `renderWithVerdicts` renders, as tokens. */
export function parsedBlock(source: string, claims: Claim[], handles: ReadonlySet<string> | null): Token[] {
  return markdown.parse(source, withVerdicts(source, claims, handles));
}

function withVerdicts(source: string, claims: Claim[], handles: ReadonlySet<string> | null): Environment {
  return { handles, claims: placeable(source, claims), verdicts: true };
}

/** The parser drops carriage returns, and nothing can be placed then. */
function placeable(source: string, claims: Claim[]): Claim[] {
  return source.includes("\r") ? [] : claims;
}
