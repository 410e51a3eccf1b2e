/** What was found of a claim, next to it: on hover, on focus, and on a tap. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../icons.tsx";
import { scaleOf } from "../page_scale.ts";
import type { Check } from "../protocol.ts";
import { isWrong, verdict } from "./claims.ts";

interface ClaimTipsProps {
  checks: Check[];
  /** Whether verified claims have a tip too. */
  all: boolean;
  /** The words for the tool call that returned a claim. */
  source: (toolCallId: string) => string | null;
  children: ComponentChildren;
}

export function ClaimTips({ checks, all, source, children }: ClaimTipsProps) {
  const [claim, setClaim] = useState<Element | null>(null);
  const look = (event: Event) => {
    const target = event.target instanceof Element ? event.target : null;
    const found =
      target?.closest(".claim") ?? (event.type === "focusin" ? target?.closest("a")?.querySelector(".claim") : null);
    setClaim(found && (all || isWrong(found.getAttribute("data-status") as Check["status"])) ? found : null);
  };
  const check = claim && checks[Number(claim.getAttribute("data-claim"))];
  return (
    <div
      class="answer"
      onPointerOver={look}
      onPointerLeave={() => setClaim(null)}
      onFocusIn={look}
      onFocusOut={() => setClaim(null)}
      onClick={look}
      onKeyDown={(event) => event.key === "Escape" && setClaim(null)}
    >
      {children}
      {claim && check && <Tip claim={claim} check={check} source={source} close={() => setClaim(null)} />}
    </div>
  );
}

function Tip({
  claim,
  check,
  source,
  close,
}: {
  claim: Element;
  check: Check;
  source: ClaimTipsProps["source"];
  close: () => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current!;
    const at = claim.getClientRects()[0] ?? claim.getBoundingClientRect();
    const scale = scaleOf(element);
    const left = at.left / scale;
    const above = at.top / scale - element.offsetHeight - 6;
    element.style.left = `${Math.max(8, Math.min(left, innerWidth / scale - element.offsetWidth - 8))}px`;
    element.style.top = `${above < 8 ? at.bottom / scale + 6 : above}px`;
  }, [claim]);
  useEffect(() => {
    addEventListener("scroll", close, { capture: true, passive: true });
    return () => removeEventListener("scroll", close, { capture: true });
  }, []);
  const tool = check.toolCallId && source(check.toolCallId);
  return (
    <div class="claim-tip" role="tooltip" data-status={check.status} ref={box}>
      <Icon name={check.status === "verified" || check.status === "derived" ? "check" : "warning"} />
      <span>
        {verdict(check)}
        {tool && <small> Looked up with: {tool}.</small>}
      </span>
    </div>
  );
}
