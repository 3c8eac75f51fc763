// The plan that the demo stages: an epic of four stories in a diamond.

/** @param {string} id @param {string} subject @param {string} description @param {object} [more] */
const task = (id, subject, description, more = {}) => ({ id, subject, description, ...more });

export const plan = {
  epics: [
    {
      id: "shop",
      title: "A small web shop",
      description: "People find a product, put it into a cart and pay for it.",
    },
  ],
  stories: [
    {
      id: "shop--catalogue",
      title: "Show the products",
      description: "A page that lists all products with name, picture and price.",
      doneWhen: "The page shows every product of the data file, cheapest first.",
      tasks: [
        task("model", "Describe a product", "A type with name, picture and price in cents.", {
          writeFiles: ["src/product.ts"],
        }),
        task("page", "List the products", "A page that reads the data file and shows it.", {
          blockedBy: ["model"],
          writeFiles: ["src/pages/catalogue.ts"],
          checks: ["npm test"],
        }),
      ],
    },
    {
      id: "shop--cart",
      title: "Put products into a cart",
      description: "A cart that survives a reload and shows the sum.",
      guidance: "Keep the cart in local storage; there is no login.",
      avoid: "Do not add a state library.",
      blockedBy: ["shop--catalogue"],
      tasks: [
        task("store", "Keep the cart", "Add, remove and sum up, tested without a browser.", {
          writeFiles: ["src/cart.ts", "src/cart.test.ts"],
          checks: ["npm test"],
        }),
        task("button", "Add the button", "Each product gets a button that puts it into the cart.", {
          blockedBy: ["store"],
          writeFiles: ["src/pages/catalogue.ts"],
        }),
        task("view", "Show the cart", "A page with all positions, their amount and the sum.", {
          blockedBy: ["store"],
          writeFiles: ["src/pages/cart.ts"],
        }),
      ],
    },
    {
      id: "shop--search",
      title: "Find a product",
      description: "A field above the list that filters it while one types.",
      blockedBy: ["shop--catalogue"],
      tasks: [task("filter", "Filter the list", "Case and accents do not matter.")],
    },
    {
      id: "shop--checkout",
      title: "Pay for the cart",
      description: "A form for the address and a button that places the order.",
      needsReview: true,
      blockedBy: ["shop--cart", "shop--search"],
      tasks: [
        task("form", "Ask for the address", "A form that says what is missing."),
        task("order", "Place the order", "Send it and show its number.", { blockedBy: ["form"] }),
      ],
    },
  ],
};
