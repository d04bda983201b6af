import { Heart } from 'lucide-react'
import type { JSX } from 'react'
import { IconButton } from '../../components/icon-button.tsx'
import { cx } from '../../lib/cx.ts'
import type { RecordWriter } from '../../lib/records/create-record-writer.ts'
import { useFavourite } from '../../lib/records/favourites.ts'
import { favouriteMessages as words } from '../../messages/favourites.ts'

/** Adds a record to the user's favourites, or removes it. */
export function FavouriteButton({
  table,
  id,
  writer,
}: {
  readonly table: string
  readonly id: string
  readonly writer: RecordWriter
}): JSX.Element | null {
  const favourite = useFavourite({ kind: 'record', table, id })
  if (!favourite) return null
  const { isFavourite } = favourite
  return (
    <IconButton
      label={isFavourite ? words.remove : words.add}
      icon={<Heart size={18} aria-hidden className={cx(isFavourite && 'fill-accent text-accent')} />}
      onPress={() => void writer.write(favourite.toggle())}
    />
  )
}
