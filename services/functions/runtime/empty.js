/** What only has types is nothing when it runs. */
export const nothing = undefined
