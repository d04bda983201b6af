export const galleryMessages = {
  galleryOf: (table: string) => `${table}, gallery`,
  keys: 'Arrow keys go from card to card, Enter opens one.',
} as const
