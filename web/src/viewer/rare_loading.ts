/** Loads the parts of the viewer that few need at first, once one of them is needed. */
import { useEffect, useState } from "preact/hooks";
import type { ViewerStore } from "./viewer_store.ts";

type RareParts = typeof import("./rare_parts.ts");

/** The parts, or null as long as none was needed or they are on their way. */
export function useRareParts(store: ViewerStore, isNeeded: boolean): RareParts | null {
  const [parts, setParts] = useState<RareParts | null>(null);
  useEffect(() => {
    if (!isNeeded || parts) return;
    let isCurrent = true;
    import("./rare_parts.ts").then(
      (loaded) => isCurrent && setParts(loaded),
      () => isCurrent && store.report("A part of the page could not be loaded. Is the server still running?"),
    );
    return () => {
      isCurrent = false;
    };
  }, [store, isNeeded]);
  return isNeeded ? parts : null;
}
