import type { FileEntry } from '@holdfast/client'
import { Image } from 'lucide-react'
import type { JSX } from 'react'
import { ChoiceChip } from '../../../components/fields/choice-chip.tsx'
import { RecordStateMark, StateGlyph } from '../../../components/state-glyph.tsx'
import { cx } from '../../../lib/cx.ts'
import type { Field } from '../../../lib/fields/field.ts'
import type { RowPhotos } from '../../../lib/photos/use-row-photos.ts'
import { useRowThumbnail } from '../../../lib/photos/use-thumbnail.ts'
import { isVideo } from '../../../lib/is-video.ts'
import { fileWords } from '../../../lib/records/file-words.ts'
import type { RecordMark } from '../../../lib/records/record-state.ts'
import { photoMessages } from '../../../messages/photos.ts'
import { textOf, titleOf } from '../record-words.ts'
import type { GridRow } from '../window-cache.ts'

/** Side length in pixels of the thumbnails that the server renders for covers. */
const COVER_SIDE = 320

/** One record: its first photo, its title and the view's visible fields. */
export function GalleryCard({
  row,
  place,
  fields,
  facts,
  stateField,
  coverPx,
  mark,
  photos,
  isOpen,
  isTabStop,
  onFocus,
  onOpen,
}: {
  readonly row: GridRow
  readonly place: number
  readonly fields: readonly Field[]
  readonly facts: readonly Field[]
  readonly stateField: Field | undefined
  /** `0`: the table has no photos. */
  readonly coverPx: number
  readonly mark: RecordMark | undefined
  readonly photos: RowPhotos | undefined
  readonly isOpen: boolean
  readonly isTabStop: boolean
  readonly onFocus: () => void
  readonly onOpen: () => void
}): JSX.Element {
  const files = fileWords(mark)
  const choice = stateField && (row[stateField.name] ?? null)
  return (
    <button
      type="button"
      data-place={place}
      tabIndex={isTabStop ? 0 : -1}
      onFocus={onFocus}
      onClick={onOpen}
      className={cx(
        'focus-inset flex h-full w-full flex-col rounded-lg text-left hover:bg-hover active:bg-pressed',
        isOpen && 'bg-accent-soft',
      )}
    >
      {coverPx === 0 ? null : <Covers photos={photos} px={coverPx} />}
      <span className="flex min-h-0 w-full flex-1 flex-col px-3 pt-2">
        <span className="line-clamp-2 text-body font-medium">{titleOf(row, fields)}</span>
        {facts.map((field) => (
          <span key={field.name} className="h-5 truncate text-small text-muted">
            <span className="sr-only">{field.label}: </span>
            {textOf(row, field)}
          </span>
        ))}
        <span className="mt-auto flex items-center gap-2 pb-2">
          {choice == null || !stateField ? null : (
            <ChoiceChip choice={String(choice)} among={stateField.choices} words={stateField.choiceWords} />
          )}
          {mark === undefined ? null : (
            <RecordStateMark state={mark.state} says={files?.text} percent={files?.percent} />
          )}
        </span>
      </span>
    </button>
  )
}

/** Shows the record's first photo and the number of further ones. */
function Covers({ photos, px }: { readonly photos: RowPhotos | undefined; readonly px: number }): JSX.Element {
  const [cover] = photos?.files ?? []
  return (
    <span
      className="relative grid w-full shrink-0 place-items-center overflow-hidden bg-sunken text-subtle"
      style={{ height: px }}
    >
      {cover ? <Cover key={cover.id} file={cover} /> : <Image size={24} aria-hidden strokeWidth={1.25} />}
      {photos === undefined ? null : (
        <>
          <span className="sr-only">{photoMessages.ofRow(photos.count)}. </span>
          {photos.count > 1 ? (
            <span
              aria-hidden
              className="absolute right-2 bottom-2 rounded-sm bg-raised/92 px-1.5 text-small tabular-nums"
            >
              {photoMessages.more(photos.count - 1)}
            </span>
          ) : null}
        </>
      )}
    </span>
  )
}

/** Decorative: the card's name already has the number of photos. */
function Cover({ file }: { readonly file: FileEntry }): JSX.Element {
  const picture = useRowThumbnail(file, COVER_SIDE)
  const isFilm = isVideo(file.mediaType)
  if (!picture)
    return isFilm ? <StateGlyph name="film" size={28} /> : <Image size={24} aria-hidden strokeWidth={1.25} />
  return (
    <>
      <img src={picture.url} alt="" draggable={false} className="absolute inset-0 size-full object-cover" />
      {isFilm ? (
        <span className="absolute bottom-2 left-2 rounded-sm bg-raised/92 p-1 text-muted">
          <StateGlyph name="film" size={16} />
        </span>
      ) : null}
    </>
  )
}
