/** Offers to show in the chart what an answer is about. */
import { Icon } from "../icons.tsx";

interface OfferBarProps {
  name: string;
  /** The thread it is in, where the chart shows another one. */
  thread: string | null;
  show: () => void;
  dismiss: () => void;
}

export function OfferBar({ name, thread, show, dismiss }: OfferBarProps) {
  return (
    <div class="offer-bar" role="group" aria-label="Another place">
      <span class="offer-text" role="status">
        The answer is about <bdi>{name}</bdi>
        {thread && (
          <>
            {" "}
            in <bdi>{thread}</bdi>
          </>
        )}
      </span>
      <button type="button" onClick={show}>
        Show what this is about
      </button>
      <button type="button" class="icon-button" aria-label="Dismiss" title="Dismiss" onClick={dismiss}>
        <Icon name="close" />
      </button>
    </div>
  );
}
