/** Where an upload stands, in words and as a share; no share where the rest is not known. */
import type { UploadStage } from "../api.ts";
import { formatSize } from "../viewer/values.ts";

interface Standing {
  label: string;
  share: number | null;
}

export function standing(upload: { share: number; size: number; stage: UploadStage | null }): Standing {
  const { share, size, stage } = upload;
  if (share < 1) return { label: `${Math.floor(share * 100)}% of ${formatSize(size)}`, share };
  if (stage?.stage === "waiting" && stage.place !== null)
    return { label: `Waiting to be read, ${ordinal(stage.place)} in line`, share: null };
  if (stage?.stage === "storing") return { label: "Storing the trace…", share: null };
  if (stage?.bytesRead === null || stage?.bytesRead === undefined) return { label: "Reading the trace…", share: null };
  const { bytesRead, bytes } = stage;
  if (bytesRead >= bytes) return { label: `All ${formatSize(bytes)} read; working them out…`, share: null };
  return { label: `${formatSize(bytesRead)} of ${formatSize(bytes)} read`, share: bytesRead / bytes };
}

const RULES = new Intl.PluralRules("en", { type: "ordinal" });
const ENDINGS: Record<string, string> = { one: "st", two: "nd", few: "rd" };

/** "1st", "2nd", "3rd", "11th". */
export function ordinal(place: number): string {
  return `${place}${ENDINGS[RULES.select(place)] ?? "th"}`;
}
