/** Citations of answers and pictures in them move the chart. */
import { useMemo } from "preact/hooks";
import type { Clicked } from "../chat/clicks.ts";
import type { Turn } from "../chat/turn.ts";
import { goTo, goToCited, goToWindow, showPictured } from "../viewer/navigation.ts";
import type { ViewerStore } from "../viewer/viewer_store.ts";
import { addressesOf, addressIn } from "./subject.ts";

/** `turns` gives the answers as they are at a click; `source` changes when that function means others. */
export function useCiting(viewer: ViewerStore, source: unknown, turns: () => Turn[]): Pick<Clicked, "cite" | "show"> {
  return useMemo(() => {
    let moving = Promise.resolve();
    const report = (error: Error) => viewer.report(error.message);
    return {
      cite: (handle, turnId, profile, window) => {
        const turn = turns().find((one) => one.turnId === turnId);
        const citation = turn?.citations?.find((one) => one.handle === handle);
        const others = turn ? addressesOf(turn) : [];
        const address = addressIn(turn, { handle, profile });
        const move = async () => {
          if (window) await goToWindow(viewer, { handle, profile, window }, others);
          else if (citation) await goToCited(viewer, citation, address, others);
          else await goTo(viewer, address, { others });
        };
        moving = moving.then(move).catch(report); // the last click wins
      },
      show: (pictured) => void showPictured(viewer, pictured).catch(report),
    };
  }, [viewer, source]);
}
