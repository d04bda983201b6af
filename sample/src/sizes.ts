/** How many rows each table of the sample has. */
export const SIZES = {
  regions: 5,
  teams: 7,
  people: 46,
  contractors: 8,
  sites: 84,
  assets: 1_260,
  templates: 12,
  template_items: 180,
  inspections: 1_450,
  answers: 21_000,
  findings: 3_100,
  photos: 4_200,
  actions: 2_600,
  comments: 6_900,
} as const

/** Unfinished actions of the region North that are past their day when the sample is seeded, and for a week after. */
export const NORTH_OVERDUE_ACTIONS = 37

/** How many of those are with the company of Sam Reyes. */
export const NORTH_OVERDUE_ACTIONS_OF_SAM = 5
