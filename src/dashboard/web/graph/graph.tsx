// The graph of stories or tasks. The library that draws it comes only when one is shown.

import { lazy, Suspense } from "react";
import { Loading, Panel } from "../parts/layout.tsx";
import { Mishap } from "../parts/mishap.tsx";
import type { GraphInput } from "./input.ts";

const Flow = lazy(async () => {
  const { Flow } = await import("./flow.tsx");
  return { default: Flow };
});

export interface GraphProps {
  readonly graph: GraphInput;
  readonly label: string;
  readonly onChoose?: (id: string) => void;
  readonly className?: string;
}

export function Graph({ className = "h-[26rem]", ...rest }: GraphProps) {
  return (
    <Panel className={`overflow-hidden ${className}`}>
      <Mishap what="The graph">
        <Suspense fallback={<Loading what="the graph" />}>
          <Flow {...rest} />
        </Suspense>
      </Mishap>
    </Panel>
  );
}
