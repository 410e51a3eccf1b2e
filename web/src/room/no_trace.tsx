/** There is no such trace, and why. */
import { Icon } from "../icons.tsx";

export function NoTrace({ problem }: { problem: string }) {
  return (
    <main class="home">
      <div class="home-column">
        <h1>No such trace</h1>
        <div class="banner" role="alert">
          <Icon name="warning" />
          <span>{problem}</span>
        </div>
        <p>
          <a href="/">All traces</a>
        </p>
      </div>
    </main>
  );
}
