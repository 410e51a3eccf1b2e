/**
 * Answers about another place than the one in sight. The first answer to a question asked here moves the chart there, unless the person
 * or the agent has moved the chart since the question; otherwise the chart offers it.
 */
import type { ChatStore } from "../chat/chat_store.ts";
import { hasEnded, type Turn } from "../chat/turn.ts";
import { Store } from "../store.ts";
import { isInSight } from "../viewer/in_sight.ts";
import type { ViewerStore } from "../viewer/viewer_store.ts";
import { addressesOf, addressIn, subjectOf, type Subject } from "./subject.ts";

/** What the chart offers to show. */
export interface Offer {
  turnId: string;
  subject: Subject;
  /** Its name, and that of its thread where another one is in sight. */
  name: string;
  thread: string | null;
  address: string;
}

export class AnswerPlaces extends Store<Offer | null> {
  #chat: ChatStore;
  #viewer: ViewerStore;
  #show: (turn: Turn, subject: Subject) => void;
  #asked: string | null = null;
  #touched = false;
  #looked: string | null = null;
  #unwatch: () => void;

  /** `show` brings a subject of a turn into sight. */
  constructor(chat: ChatStore, viewer: ViewerStore, show: (turn: Turn, subject: Subject) => void) {
    super(null);
    this.#chat = chat;
    this.#viewer = viewer;
    this.#show = show;
    const unwatch = [chat.watch(() => this.#follow()), viewer.watch(() => this.#moved())];
    this.#unwatch = () => unwatch.forEach((stop) => stop());
  }

  close(): void {
    this.#unwatch();
  }

  /** The person moves the chart or chooses in it. */
  touch(): void {
    this.#touched = true;
  }

  dismiss(): void {
    this.write(null);
  }

  /** Show what is offered. */
  accept(): void {
    const offer = this.read();
    const turn = offer && this.#turn(offer.turnId);
    this.write(null);
    if (turn) this.#show(turn, offer.subject);
  }

  #turn(turnId: string): Turn | undefined {
    return this.#chat.read().conversation.turns.find((turn) => turn.turnId === turnId);
  }

  #follow(): void {
    const { turns } = this.#chat.read().conversation;
    const turn = turns.at(-1);
    if (!turn) return;
    if (turn.status === "sending" && turn.turnId !== this.#asked) {
      this.#asked = turn.turnId;
      this.#touched = false;
      this.write(null);
    }
    if (!hasEnded(turn) || turn.citations === null || this.#looked === turn.turnId) return;
    this.#looked = turn.turnId;
    void this.#look(turn).catch(() => this.write(null)); // an answer can be read without its place
  }

  async #look(turn: Turn): Promise<void> {
    const subject = subjectOf(turn);
    const { viewerActions } = this.#chat.read().conversation;
    if (!subject || viewerActions.some((action) => action.turnId === turn.turnId)) return;
    const address = addressIn(turn, subject);
    const place = await this.#viewer.places.of(address, addressesOf(turn));
    if ("problem" in place || isInSight(this.#viewer, place) || this.#looked !== turn.turnId) return;
    if (this.#asked === turn.turnId && !this.#touched && turn.replaces === null) return this.#show(turn, subject);
    const isElsewhere = place.profile !== this.#viewer.read().profile;
    const thread = this.#viewer.profiles.find(({ handle }) => handle === place.profile)?.name ?? place.profile;
    this.write({ turnId: turn.turnId, subject, address, name: place.name, thread: isElsewhere ? thread : null });
  }

  /** What comes into sight by another way is offered no more. */
  #moved(): void {
    const offer = this.read();
    if (!offer || this.#viewer.read().loading) return;
    void this.#viewer.places.of(offer.address).then(
      (place) => this.read() === offer && !("problem" in place) && isInSight(this.#viewer, place) && this.write(null),
      () => undefined,
    );
  }
}
