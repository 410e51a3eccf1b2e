/** An answer that cites something of the chart. */
export interface Mention {
  turnId: string;
  /** What was asked. */
  question: string;
  /** Bring the citation into sight. */
  show: () => void;
}
