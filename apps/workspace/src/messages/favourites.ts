import { inLanguages } from '../lib/texts.ts'

export const favouriteMessages = inLanguages('favouriteMessages', {
  title: 'Favourites',
  add: 'Add to favourites',
  remove: 'Remove from favourites',
})
