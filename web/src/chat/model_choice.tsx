/** Which model answers: the one that this browser remembers, of those that the plan offers. */
import { useState } from "preact/hooks";
import { chosenModel, type OfferedModel } from "../accounts/usage.ts";
import { remember, remembered } from "../theme.ts";

const KEY = "flamechat.model";

export function useModel(offered: OfferedModel[] | null): [string | null, (name: string) => void] {
  const [kept, keep] = useState(() => remembered(KEY));
  const choose = (name: string) => {
    const choice = name === offered?.[0]?.name ? null : name; // the default may become another
    remember(KEY, choice);
    keep(choice);
  };
  return [chosenModel(offered, kept), choose];
}

interface ModelChoiceProps {
  offered: OfferedModel[] | null;
  chosen: string | null;
  choose: (name: string) => void;
}

/** Nothing where there is nothing to choose. */
export function ModelChoice({ offered, chosen, choose }: ModelChoiceProps) {
  if (!offered || offered.length < 2) return null;
  return (
    <select
      class="model"
      aria-label="Model"
      title="The model that answers"
      value={chosen ?? offered[0]!.name}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      {offered.map(({ name, label }) => (
        <option key={name} value={name}>
          {label}
        </option>
      ))}
    </select>
  );
}
