import { inLanguages } from '../lib/texts.ts'

export const galleryMessages = inLanguages('galleryMessages', {
  galleryOf: (table: string) => `${table}, gallery`,
  keys: 'Arrow keys go from card to card, Enter opens one.',
})
