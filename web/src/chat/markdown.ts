/**
 * Answers as HTML that is safe to insert: no raw HTML, no images (an address in an answer must not make the browser fetch it),
 * no links but citations and http(s), no inline styles (the content security policy refuses them).
 */
import MarkdownIt from "markdown-it";
import remend from "remend";
import { markClaims, type Claim } from "./claims.ts";

const HANDLE_LINK = /^#?([fpns]\d+)$/;
const WEB_LINK = /^https?:\/\//i;

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
markdown.validateLink = (address) => HANDLE_LINK.test(address) || WEB_LINK.test(address);
markdown.disable("image");
markClaims(markdown);

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

/** What a block is rendered with: its claims, and the handles that exist (null while that is not known). */
type Environment = { claims?: Claim[]; handles?: ReadonlySet<string> | null };

markdown.core.ruler.push("citations", (state) => {
  const { handles } = state.env as Environment;
  if (!handles) return;
  for (const { children } of state.tokens) {
    let isLost = false; // a link to what does not exist becomes text; links hold no links
    for (const token of children ?? []) {
      const handle = token.type === "link_open" ? HANDLE_LINK.exec(String(token.attrGet("href")))?.[1] : undefined;
      if (handle && !handles.has(handle)) {
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
  for (const token of markdown.parse(text, {})) {
    if (token.level === 0 && token.map && token.nesting >= 0) starts.push(token.map[0]);
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
  growing: boolean,
  claims: Claim[] = [],
  handles: ReadonlySet<string> | null = null,
): string {
  const environment: Environment = { handles, claims: source.includes("\r") ? [] : claims }; // the parser drops carriage returns
  return markdown.render(growing ? remend(source, { linkMode: "text-only" }) : source, environment);
}
