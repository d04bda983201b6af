/** Local name of `holdfast.favourites`. */
export const FAVOURITES_TABLE = 'hf_favourites'
