import type { Translation } from '../../lib/texts.ts'
import type { galleryMessages as english } from '../gallery.ts'

export const galleryMessages: Translation<typeof english> = {
  galleryOf: (table) => `${table}, Galerie`,
  keys: 'Die Pfeiltasten gehen von Kärtchen zu Kärtchen, Enter öffnet eines.',
}
