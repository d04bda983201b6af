import { type JSX, type PointerEvent, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useOneAtATime } from '../../hooks/use-one-at-a-time.ts'
import { checklistMessages as words } from '../../messages/checklist.ts'

/** Width of a stored signature in pixels: sharp in a report, a few kilobytes. */
export const SIGNATURE_WIDTH = 900
export const SIGNATURE_HEIGHT = 300
const WIDTH = SIGNATURE_WIDTH
const HEIGHT = SIGNATURE_HEIGHT
const NAME_MAX = 80

/** A signature, drawn or typed, as an image. */
export interface SignedImage {
  readonly image: Blob
  /** Empty if only drawn. */
  readonly name: string
}

/** Asks for a signature: drawn with a finger, pen or mouse, or typed. */
export function SignatureCanvas({ onSign }: { readonly onSign: (signed: SignedImage) => Promise<void> }): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [isDrawn, setDrawn] = useState(false)
  const [name, setName] = useState('')
  const alone = useOneAtATime<void>()
  const pen = usePen(canvas, () => setDrawn(true))
  const clear = (): void => {
    canvas.current?.getContext('2d')?.clearRect(0, 0, WIDTH, HEIGHT)
    setDrawn(false)
  }
  const sign = async (): Promise<void> => {
    if (!canvas.current) return
    const typed = name.trim()
    await onSign({ image: await toPicture(canvas.current, isDrawn ? '' : typed), name: typed })
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
