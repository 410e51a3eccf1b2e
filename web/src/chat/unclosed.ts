/** An answer's last block while it grows: what is open at its end is closed. A chunk of its own, fetched by the first answer. */
import remend from "remend";

export type Closing = (source: string) => string;

export const closed: Closing = (source) => remend(source, { linkMode: "text-only" });
