/** The tables under the chart and the keys that open them. */

export type PanelName = "functions" | "tree" | "callers" | "search" | "notes";

export const PANELS: { name: PanelName; title: string; key: string; hint: string }[] = [
  { name: "functions", title: "Functions", key: "5", hint: "Every function with what it spent" },
  { name: "tree", title: "Call tree", key: "6", hint: "From where stacks begin down to what they call" },
  { name: "callers", title: "Bottom up", key: "7", hint: "From each function up to its callers" },
  { name: "search", title: "Search threads", key: "8", hint: "Functions by name over all threads" },
  { name: "notes", title: "Notes", key: "9", hint: "What people wrote on functions, calls and times" },
];

export function isPanel(name: string | null): name is PanelName {
  return PANELS.some((panel) => panel.name === name);
}
