import type { Translation } from '../../lib/texts.ts'
import type { favouriteMessages as english } from '../favourites.ts'

export const favouriteMessages: Translation<typeof english> = {
  title: 'Favoriten',
  add: 'Zu den Favoriten',
  remove: 'Aus den Favoriten entfernen',
}
