/** Offered once on the library, when nothing is remembered and three recordings are there: three questions about the program. */
import { useEffect, useState } from "preact/hooks";
import { json, remove } from "../api.ts";

const PATH = "/memory/onboarding";
/** From so many recordings on the server is asked whether it offers them. */
export const FROM_TRACES = 3;

export function InitOffer() {
  const [state, setState] = useState<{ offered: boolean; started: boolean } | null>(null);
  useEffect(() => {
    json<{ offered: boolean; started: boolean }>(PATH).then(setState, () => setState(null)); // a library without it works
  }, []);
  if (!state?.offered && !state?.started) return null;
  const decline = () => {
    setState(null);
    remove(PATH).catch(() => undefined); // it is offered again
  };
  return (
    <section class="init-offer" aria-label="Shall Flamechat know your program?">
      <p>
        {state.started
          ? "You have begun to say what Flamechat should know of your program."
          : "Shall Flamechat know your program? Three questions, answered once: answers then keep to what you say."}
      </p>
      <span class="actions">
        <button type="button" class="primary" onClick={() => location.assign("/account#init")}>
          {state.started ? "Go on" : "Begin"}
        </button>
        <button type="button" onClick={decline}>
          No
        </button>
      </span>
    </section>
  );
}
