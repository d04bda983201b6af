import { useAttachments, useRecords } from '@holdfast/react'
import { type JSX, type PointerEvent, useRef, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Notice } from '../../../components/notice.tsx'
import { TextField } from '../../../components/text-field.tsx'
import { useOneAtATime } from '../../../hooks/use-one-at-a-time.ts'
import { insertPhotoSql, type PhotoTable } from '../../../lib/data/photo-table.ts'
import { storeOrTell } from '../../../lib/data/unstored.ts'
import { toStoredMoment } from '../../../lib/fields/dates.ts'
import type { FieldValue } from '../../../lib/fields/field.ts'
import { uuidV7 } from '../../../lib/fields/uuid-v7.ts'
import { quoteName } from '../../../lib/sql.ts'
import { checklistMessages as words } from '../../../messages/checklist.ts'

/** Width of a stored signature in pixels: sharp in a report, a few kilobytes. */
const WIDTH = 900
const HEIGHT = 300
const NAME_MAX = 80

export interface SignatureProps {
  readonly photos: PhotoTable
  /** Column that links photos to the record. */
  readonly link: string
  readonly table: string
  /** The record's column for the signature's path. */
  readonly column: string
  readonly recordId: string
  /** The record's current path. */
  readonly path: FieldValue
}

/** A signature under a checklist, drawn or typed. Stored as an image of the record. */
export function Signature(props: SignatureProps): JSX.Element {
  const { rows } = useRecords<{ readonly caption: string | null }>(
    props.path === null
      ? ''
      : `select ${props.photos.has.has('caption') ? 'caption' : 'null as caption'} from ${quoteName(props.photos.name)} where path = ?`,
    [props.path],
  )
  const [isAgain, setAgain] = useState(false)
  return (
    <section aria-labelledby="signature" className="flex flex-col gap-3">
      <h3 id="signature" className="text-heading">
        {words.signature}
      </h3>
      {props.path !== null && !isAgain ? (
        <Notice
          tone="success"
          role="status"
          title={rows[0]?.caption ?? words.signed}
          actions={
            <Button className="h-14" onPress={() => setAgain(true)}>
              {words.signAgain}
            </Button>
          }
        />
      ) : (
        <Pad {...props} onSigned={() => setAgain(false)} />
      )}
    </section>
  )
}

function Pad({ onSigned, ...props }: SignatureProps & { readonly onSigned: () => void }): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [isDrawn, setDrawn] = useState(false)
  const [name, setName] = useState('')
  const save = useSaveSignature(props)
  const alone = useOneAtATime<void>()
  const pen = usePen(canvas, () => setDrawn(true))
  const clear = (): void => {
    canvas.current?.getContext('2d')?.clearRect(0, 0, WIDTH, HEIGHT)
    setDrawn(false)
  }
  const sign = async (): Promise<void> => {
    if (canvas.current && (await save(canvas.current, isDrawn, name.trim()))) onSigned()
  }
  return (
    <>
      <canvas
        ref={canvas}
        width={WIDTH}
        height={HEIGHT}
        role="img"
        aria-label={isDrawn ? words.signatureDrawn : words.signatureEmpty}
        className="aspect-[3/1] w-full touch-none rounded-lg border border-control bg-[white]"
        {...pen}
      />
      <TextField
        label={words.signer}
        description={words.signerHelp}
        value={name}
        maxLength={NAME_MAX}
        autoComplete="name"
        onChange={setName}
      />
      <div className="flex gap-2">
        <Button className="h-14 px-5" isDisabled={!isDrawn} onPress={clear}>
          {words.clearSignature}
        </Button>
        <Button className="h-14 flex-1" isDisabled={!isDrawn && name.trim() === ''} onPress={() => void alone(sign)}>
          {words.saveSignature}
        </Button>
      </div>
    </>
  )
}

type Pen = Readonly<Record<'onPointerDown' | 'onPointerMove', (event: PointerEvent<HTMLCanvasElement>) => void>>

/** Draws with a finger, pen or mouse. */
function usePen(canvas: React.RefObject<HTMLCanvasElement | null>, onDrawn: () => void): Pen {
  const last = useRef<readonly [number, number]>([0, 0])
  const at = (event: PointerEvent): readonly [number, number] => {
    const box = canvas.current?.getBoundingClientRect()
    if (!box) return [0, 0]
    return [((event.clientX - box.left) / box.width) * WIDTH, ((event.clientY - box.top) / box.height) * HEIGHT]
  }
  const drawTo = (to: readonly [number, number]): void => {
    const context = canvas.current?.getContext('2d')
    if (!context) return
    context.lineWidth = 5
    context.lineCap = 'round'
    context.strokeStyle = '#12201f'
    context.beginPath()
    context.moveTo(...last.current)
    context.lineTo(...to)
    context.stroke()
    last.current = to
    onDrawn()
  }
  return {
    onPointerDown(event) {
      event.currentTarget.setPointerCapture(event.pointerId)
      last.current = at(event)
      drawTo(at(event))
    },
    onPointerMove(event) {
      if (event.currentTarget.hasPointerCapture(event.pointerId)) drawTo(at(event))
    },
  }
}

/** Saves the image and the record's path to it in one local transaction. */
function useSaveSignature({
  photos,
  link,
  table,
  column,
  recordId,
}: SignatureProps): (canvas: HTMLCanvasElement, isDrawn: boolean, name: string) => Promise<boolean> {
  const attachments = useAttachments()
  return async (canvas, isDrawn, name) => {
    const blob = await toPicture(canvas, isDrawn ? '' : name)
    const id = uuidV7()
    const caption = name === '' ? words.signature : words.signatureOf(name)
    return storeOrTell(words.signature, () =>
      attachments.add(blob, { id, name: `${id}.png` }, async (tx, { path, mediaType, size }) => {
        const taken_at = toStoredMoment(new Date(), true)
        const photo = { id, link, recordId, path, mediaType, size, width: WIDTH, height: HEIGHT, taken_at, caption }
        const [sql, values] = insertPhotoSql(photos, photo)
        await tx.execute(sql, [...values])
        await tx.execute(`update ${quoteName(table)} set ${quoteName(column)} = ? where id = ?`, [path, recordId])
      }),
    )
  }
}

/** Renders the drawing on white, or the typed name. */
async function toPicture(drawn: HTMLCanvasElement, name: string): Promise<Blob> {
  const picture = new OffscreenCanvas(WIDTH, HEIGHT)
  const context = picture.getContext('2d')
  if (!context) throw new Error('This browser draws no pictures.')
  context.fillStyle = 'white'
  context.fillRect(0, 0, WIDTH, HEIGHT)
  context.drawImage(drawn, 0, 0)
  context.fillStyle = '#12201f'
  context.font = 'italic 72px serif'
  context.fillText(name, 40, HEIGHT / 2 + 24, WIDTH - 80)
  return picture.convertToBlob({ type: 'image/png' })
}
