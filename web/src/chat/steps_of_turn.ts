/** A turn's uses of tools, in groups and in words. */
import { formatCount } from "../viewer/values.ts";
import type { Part, TextPart, ToolPart } from "./turn.ts";

export interface StepsPart {
  kind: "steps";
  tools: ToolPart[];
}

/** A turn's parts, with neighbouring uses of tools as one. */
export function withSteps(parts: Part[]): (TextPart | StepsPart)[] {
  const grouped: (TextPart | StepsPart)[] = [];
  for (const part of parts) {
    const last = grouped.at(-1);
    if (part.kind === "text") grouped.push(part);
    else if (last?.kind === "steps") last.tools.push(part);
    else grouped.push({ kind: "steps", tools: [part] });
  }
  return grouped;
}

/** `9 steps, 1.8 s, 1 failed`; `seconds` is null while they run and where it is not known. */
export function stepsSentence(tools: ToolPart[], seconds: number | null): string {
  const failed = tools.filter((tool) => tool.status === "error").length;
  return [
    tools.length === 1 ? "1 step" : `${formatCount(tools.length)} steps`,
    seconds !== null && `${seconds.toFixed(1)} s`,
    failed > 0 && `${failed} failed`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** The use of a tool that drew the newest picture. */
export function lastPicture(parts: Part[]): ToolPart | null {
  return parts.findLast((part): part is ToolPart => part.kind === "tool" && part.imageUrl !== null) ?? null;
}
