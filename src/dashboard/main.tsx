// Where the page begins in the browser. It joins the server's link and the page, and knows nothing
// else.

import { render } from "preact";
import { App } from "./app.tsx";
import { ServerLink } from "./server-link.ts";

const page = document.getElementById("page");
if (page) {
  const link = new ServerLink();
  page.replaceChildren();
  render(<App link={link} />, page);
  link.start();
}
