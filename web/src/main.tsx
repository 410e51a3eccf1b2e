import { render } from "preact";

render(<main>Flamechat</main>, document.getElementById("app")!);
