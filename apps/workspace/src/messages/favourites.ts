export const favouriteMessages = {
  title: 'Favourites',
  add: 'Add to favourites',
  remove: 'Remove from favourites',
} as const
