import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { LiveContext } from "./live/hooks.ts";
import { startLive } from "./live/live.ts";
import { Mishap } from "./parts/mishap.tsx";
import "./style.css";

const root = document.querySelector("#root");
if (root === null) throw new Error("The page has no place to draw in.");

// What is caught is said on the page: nothing more has to be said about it.
createRoot(root, { onCaughtError: () => undefined }).render(
  <LiveContext value={startLive()}>
    <Mishap what="The dashboard">
      <App />
    </Mishap>
  </LiveContext>,
);
