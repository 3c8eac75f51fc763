// The plan of the fleet's demo: an epic of twelve stories, each with two tasks. Code and tests are real.

import type { RehearsalStep } from "../../../rehearsal/steps.ts";

/** Each story is a function: its parameters, its expression, and a test of it. */
interface Formula {
  readonly parameters: string;
  readonly expression: string;
  readonly test: readonly [call: string, result: number];
  readonly uses?: readonly string[];
}

const FORMULAS: Readonly<Record<string, Formula>> = {
  add: { parameters: "a, b", expression: "a + b", test: ["add(2, 3)", 5] },
  subtract: { parameters: "a, b", expression: "a - b", test: ["subtract(5, 3)", 2] },
  multiply: { parameters: "a, b", expression: "a * b", test: ["multiply(2, 3)", 6] },
  divide: { parameters: "a, b", expression: "a / b", test: ["divide(6, 3)", 2] },
  power: { parameters: "a, b", expression: "a ** b", test: ["power(2, 3)", 8] },
  root: { parameters: "a", expression: "Math.sqrt(a)", test: ["root(9)", 3] },
  smaller: { parameters: "a, b", expression: "a < b ? a : b", test: ["smaller(2, 3)", 2] },
  larger: { parameters: "a, b", expression: "a > b ? a : b", test: ["larger(2, 3)", 3] },
  average: {
    parameters: "a, b",
    expression: "divide(add(a, b), 2)",
    test: ["average(2, 4)", 3],
    uses: ["add", "divide"],
  },
  square: {
    parameters: "a",
    expression: "multiply(power(a, 1), a)",
    test: ["square(3)", 9],
    uses: ["multiply", "power"],
  },
  distance: {
    parameters: "a, b",
    expression: "root(subtract(a, b) ** 2)",
    test: ["distance(2, 5)", 3],
    uses: ["subtract", "root"],
  },
  clamp: {
    parameters: "a, from, to",
    expression: "larger(from, smaller(a, to))",
    test: ["clamp(9, 1, 5)", 5],
    uses: ["smaller", "larger"],
  },
};

export const DEMO_EPIC = "numbers";
export const demoStoryIds: readonly string[] = Object.keys(FORMULAS).map(
  (name) => `${DEMO_EPIC}--${name}`,
);

export const codeTask = (storyId: string): string => `${nameOf(storyId)}-code`;
export const testTask = (storyId: string): string => `${nameOf(storyId)}-test`;
export const demoTaskIds: readonly string[] = demoStoryIds.flatMap((id) => [
  codeTask(id),
  testTask(id),
]);

function nameOf(storyId: string): string {
  return storyId.slice(DEMO_EPIC.length + 2);
}

/** The input of `saga stage`. */
export const fleetDemoPlan = {
  epics: [{ id: DEMO_EPIC, title: "Numbers", description: "Functions for numbers." }],
  stories: demoStoryIds.map((id) => {
    const name = nameOf(id);
    const { uses = [] } = formulaOf(id);
    return {
      id,
      title: `The function ${name}`,
      description: `A function ${name}, and its test.`,
      ...(uses.length > 0 && { blockedBy: uses.map((one) => `${DEMO_EPIC}--${one}`) }),
      tasks: [
        { id: codeTask(id), subject: `Write ${name}`, description: `It is in src/${name}.js.` },
        {
          id: testTask(id),
          subject: `Test ${name}`,
          description: `Its test is in test/${name}.test.js.`,
          blockedBy: [codeTask(id)],
          checks: [`node --test test/${name}.test.js`],
        },
      ],
    };
  }),
};

export function fleetDemoSteps(taskId: string): readonly RehearsalStep[] {
  const id = demoStoryIds.find((one) => codeTask(one) === taskId || testTask(one) === taskId);
  if (id === undefined) return [];
  const name = nameOf(id);
  return taskId === codeTask(id)
    ? [{ write: `src/${name}.js`, content: codeOf(name, formulaOf(id)) }]
    : [{ write: `test/${name}.test.js`, content: testOf(name, formulaOf(id)) }];
}

function formulaOf(storyId: string): Formula {
  const formula = FORMULAS[nameOf(storyId)];
  if (formula === undefined) throw new RangeError(storyId);
  return formula;
}

const codeOf = (name: string, { parameters, expression, uses = [] }: Formula): string =>
  [
    ...uses.map((one) => `import { ${one} } from "./${one}.js";`),
    `export const ${name} = (${parameters}) => ${expression};`,
    "",
  ].join("\n");

const testOf = (name: string, { test: [call, result] }: Formula): string =>
  [
    'import assert from "node:assert/strict";',
    'import { test } from "node:test";',
    `import { ${name} } from "../src/${name}.js";`,
    `test("${call}", () => assert.equal(${call}, ${result}));`,
    "",
  ].join("\n");
