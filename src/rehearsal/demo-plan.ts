// The plan of the demo: a small shop, as an epic of four stories in a diamond. Each task lists the steps of the scripted
// agent; the code and its tests are real.

import type { RehearsalStep } from "./steps.ts";

interface DemoTask {
  readonly id: string;
  readonly subject: string;
  readonly description: string;
  readonly blockedBy?: readonly string[];
  readonly checks?: readonly string[];
  readonly rehearsal: readonly RehearsalStep[];
}

interface DemoStory {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly doneWhen?: string;
  readonly blockedBy?: readonly string[];
  readonly tasks: readonly DemoTask[];
}

const CHECKS = ["node --test"];

const write = (path: string, ...lines: readonly string[]): RehearsalStep => ({
  write: path,
  content: `${lines.join("\n")}\n`,
});

const complete = (taskId: string): RehearsalStep => ({
  tool: "TaskUpdate",
  input: { taskId, status: "completed" },
});

const catalogue: DemoStory = {
  id: "shop--catalogue",
  title: "Show the products",
  description: "A list of all products with name and price.",
  doneWhen: "Products are listed, cheapest first.",
  tasks: [
    {
      id: "data",
      subject: "Describe the products",
      description: "Name and price in cents, in one place.",
      rehearsal: [
        { decide: "Prices are whole cents", because: "Fractions of a cent cannot be paid." },
        write(
          "src/products.js",
          "export const products = [",
          '  { name: "Teapot", cents: 2400 },',
          '  { name: "Cup", cents: 650 },',
          "];",
        ),
      ],
    },
    {
      id: "list",
      subject: "List them, cheapest first",
      description: "A function that gives one line for each product.",
      blockedBy: ["data"],
      checks: CHECKS,
      rehearsal: [
        write(
          "src/list.js",
          'import { products } from "./products.js";',
          "export const list = (from = products) =>",
          "  [...from].sort((a, b) => a.cents - b.cents).map(({ name, cents }) => `${name} ${cents}`);",
        ),
        write(
          "test/list.test.js",
          'import assert from "node:assert/strict";',
          'import { test } from "node:test";',
          'import { list } from "../src/list.js";',
          'test("the cheapest is first", () => assert.deepEqual(list(), ["Cup 650", "Teapot 2400"]));',
        ),
      ],
    },
  ],
};

const cart: DemoStory = {
  id: "shop--cart",
  title: "Put products into a cart",
  description: "A cart that knows its sum.",
  blockedBy: ["shop--catalogue"],
  tasks: [
    {
      id: "sum",
      subject: "Sum up the cart",
      description: "An amount for each product; the sum in cents.",
      checks: CHECKS,
      // The first attempt forgets the amounts: the check refuses it, and the agent fixes it.
      rehearsal: [
        write(
          "test/cart.test.js",
          'import assert from "node:assert/strict";',
          'import { test } from "node:test";',
          'import { sum } from "../src/cart.js";',
          "const cart = [{ cents: 650, amount: 2 }];",
          'test("amounts count", () => assert.equal(sum(cart), 1300));',
        ),
        write(
          "src/cart.js",
          "export const sum = (cart) => cart.reduce((total, { cents }) => total + cents, 0);",
        ),
        complete("sum"),
        write(
          "src/cart.js",
          "export const sum = (cart) =>",
          "  cart.reduce((total, { cents, amount }) => total + cents * amount, 0);",
        ),
      ],
    },
    {
      id: "add",
      subject: "Add a product",
      description: "Twice the same product is an amount of two.",
      blockedBy: ["sum"],
      checks: CHECKS,
      rehearsal: [
        write(
          "src/add.js",
          "export const add = (cart, product) =>",
          "  cart.some(({ name }) => name === product.name)",
          "    ? cart.map((it) => (it.name === product.name ? { ...it, amount: it.amount + 1 } : it))",
          "    : [...cart, { ...product, amount: 1 }];",
        ),
      ],
    },
  ],
};

const search: DemoStory = {
  id: "shop--search",
  title: "Find a product",
  description: "Products by a part of their name.",
  blockedBy: ["shop--catalogue"],
  tasks: [
    {
      id: "filter",
      subject: "Filter by name",
      description: "Case does not matter.",
      checks: CHECKS,
      rehearsal: [
        write(
          "src/search.js",
          "export const search = (products, text) =>",
          "  products.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));",
        ),
        { run: "node --check src/search.js && echo fine" },
      ],
    },
  ],
};

const checkout: DemoStory = {
  id: "shop--checkout",
  title: "Pay for a cart",
  description: "A receipt for a cart.",
  blockedBy: ["shop--cart", "shop--search"],
  tasks: [
    {
      id: "receipt",
      subject: "Write the receipt",
      description: "One line for each product, and the sum.",
      checks: CHECKS,
      rehearsal: [
        write(
          "src/receipt.js",
          'import { sum } from "./cart.js";',
          "export const receipt = (cart) =>",
          "  [...cart.map(({ name, amount }) => `${amount} x ${name}`), `Total ${sum(cart)}`];",
        ),
        write(
          "test/receipt.test.js",
          'import assert from "node:assert/strict";',
          'import { test } from "node:test";',
          'import { receipt } from "../src/receipt.js";',
          'const cart = [{ name: "Cup", cents: 650, amount: 2 }];',
          'test("says it all", () => assert.deepEqual(receipt(cart), ["2 x Cup", "Total 1300"]));',
        ),
      ],
    },
  ],
};

const stories = [catalogue, cart, search, checkout];

/** The input of `saga stage`. */
export const demoPlan = {
  epics: [
    {
      id: "shop",
      title: "A small shop",
      description: "People find a product, put it into a cart and pay for it.",
    },
  ],
  stories: stories.map(({ tasks, ...story }) => ({
    ...story,
    tasks: tasks.map(({ id, subject, description, blockedBy, checks }) => ({
      id,
      subject,
      description,
      ...(blockedBy && { blockedBy }),
      ...(checks && { checks }),
    })),
  })),
};

export const demoSteps = (storyId: string, taskId: string): readonly RehearsalStep[] =>
  stories.find(({ id }) => id === storyId)?.tasks.find(({ id }) => id === taskId)?.rehearsal ?? [];

/** The files of the project at the start. */
export const demoFiles: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify({ name: "shop", type: "module", private: true }, undefined, 2)}\n`,
  "README.md": "# A small shop\n",
};
