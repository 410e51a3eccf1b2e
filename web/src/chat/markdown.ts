/**
 * Answers as HTML that is safe to insert: no raw HTML, no images (an address in an answer must not make the browser fetch it),
 * no links but citations and http(s), no inline styles (the content security policy refuses them).
 */
import MarkdownIt from "markdown-it";
import remend from "remend";

const HANDLE_LINK = /^#?([fpns]\d+)$/;
const WEB_LINK = /^https?:\/\//i;

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
markdown.validateLink = (address) => HANDLE_LINK.test(address) || WEB_LINK.test(address);
markdown.disable("image");

markdown.renderer.rules.link_open = (tokens, index, options, _environment, renderer) => {
  const token = tokens[index]!;
  const address = String(token.attrGet("href") ?? "");
  const handle = HANDLE_LINK.exec(address)?.[1];
  if (handle) {
    token.attrSet("href", `#${handle}`);
    token.attrSet("class", "citation");
    token.attrSet("title", `Show ${handle} in the chart`);
  } else {
    token.attrSet("target", "_blank");
    token.attrSet("rel", "noopener noreferrer nofollow");
  }
  return renderer.renderToken(tokens, index, options);
};

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
  for (const token of markdown.parse(text, {})) {
    if (token.level === 0 && token.map && token.nesting >= 0) starts.push(token.map[0]);
  }
  if (starts.length === 0) return text.trim() ? [text] : [];
  starts[0] = 0;
  return starts.map((start, index) => lines.slice(start, starts[index + 1] ?? lines.length).join("\n"));
}

/** One block as HTML. While it is `growing`, half-typed emphasis, code and links are closed first. */
export function renderBlock(source: string, growing: boolean): string {
  return markdown.render(growing ? remend(source, { linkMode: "text-only" }) : source);
}
