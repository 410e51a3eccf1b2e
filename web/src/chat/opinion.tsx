/** Two buttons that say what an answer was worth; pressing the pressed one takes it back. */
import { Icon } from "../icons.tsx";

export function Opinion({ given, rate }: { given: -1 | 0 | 1 | null; rate: (score: -1 | 0 | 1) => void }) {
  const button = (score: -1 | 1, words: string) => (
    <button
      type="button"
      class="icon-button opinion"
      aria-label={words}
      title={words}
      aria-pressed={given === score}
      onClick={() => rate(given === score ? 0 : score)}
    >
      <Icon name={score === 1 ? "helped" : "missed"} />
    </button>
  );
  return (
    <span class="opinions">
      {button(1, "This helped")}
      {button(-1, "This did not help")}
    </span>
  );
}
