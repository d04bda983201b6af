import { Image as ImageIcon } from 'lucide-react'
import { type JSX, useEffect, useEffectEvent, useRef, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Notice } from '../../../components/notice.tsx'
import { NoPicture } from '../../../lib/codes/code-reader.ts'
import { checklistMessages as words } from '../../../messages/checklist.ts'
import { readLabelOn, ScanError, scanLabel, type ScanProblem, type ScanState } from './scan.ts'

/** Time in ms without a result after which the user gets a hint. */
const HINT_AFTER_MS = 8_000

/** Reads a label with the camera or from a photo. */
export function LabelScanner({
  onRead,
  onClose,
}: {
  readonly onRead: (text: string) => void
  readonly onClose: () => void
}): JSX.Element {
  const section = useRef<HTMLElement>(null)
  // The button that opened the scanner is gone.
  useEffect(() => section.current?.focus(), [])
  return (
    <section ref={section} tabIndex={-1} aria-label={words.scan} className="flex flex-col gap-2 outline-none">
      <LabelCamera onRead={onRead} />
      <LabelPhoto onRead={onRead} />
      <Button className="h-14" onPress={onClose}>
        {words.stopScanning}
      </Button>
    </section>
  )
}

/** Shows the camera until a label is read. */
function LabelCamera({ onRead }: { readonly onRead: (text: string) => void }): JSX.Element {
  const video = useRef<HTMLVideoElement>(null)
  const [state, setState] = useState<ScanState>('starting')
  const [problem, setProblem] = useState<ScanProblem>()
  const isVisible = useIsVisible()
  const hint = useHint(state === 'looking' && isVisible)
  const read = useEffectEvent(onRead)
  // The camera is outside React. It is off while the page is hidden.
  useEffect(() => {
    if (!isVisible || !video.current) return
    const over = new AbortController()
    scanLabel(video.current, over.signal, (next) => over.signal.aborted || setState(next)).then(
      (text) => over.signal.aborted || read(text),
      (error: unknown) => {
        if (over.signal.aborted) return
        if (!(error instanceof ScanError)) console.info('Scanning ended.', error)
        setProblem(error instanceof ScanError ? error.problem : 'busy')
      },
    )
    return () => over.abort()
  }, [isVisible])
  if (problem !== undefined) return <Notice tone="warning" role="alert" title={words.scanProblems[problem]} />
  return (
    <>
      <video
        ref={video}
        muted
        playsInline
        aria-label={words.scanning}
        className="aspect-square w-full rounded-lg bg-sunken object-cover"
      />
      <p role="status" className="min-h-10 text-body text-muted">
        {hint ? words.scanHint : words.scanStates[state]}
      </p>
    </>
  )
}

function useIsVisible(): boolean {
  const [isVisible, setVisible] = useState(!document.hidden)
  // Only the browser knows whether the page is visible.
  useEffect(() => {
    const look = (): void => setVisible(!document.hidden)
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  return isVisible
}

function useHint(isLooking: boolean): boolean {
  const [isDue, setDue] = useState(false)
  // Timers are outside React.
  useEffect(() => {
    if (!isLooking) return
    const timer = setTimeout(() => setDue(true), HINT_AFTER_MS)
    return () => {
      clearTimeout(timer)
      setDue(false)
    }
  }, [isLooking])
  return isDue
}

/** Reads the label from a photo, for devices without a camera or if the camera cannot get close enough. */
function LabelPhoto({ onRead }: { readonly onRead: (text: string) => void }): JSX.Element {
  const input = useRef<HTMLInputElement>(null)
  const over = useRef<AbortController>(undefined)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  // Stops a running reader when the component unmounts.
  useEffect(() => () => over.current?.abort(), [])
  const take = async (photo: File): Promise<void> => {
    const { signal } = (over.current = new AbortController())
    setBusy(true)
    setProblem(undefined)
    try {
      const text = await readLabelOn(photo, signal)
      if (signal.aborted) return
      if (text === undefined) setProblem(words.noCode)
      else onRead(text)
    } catch (error) {
      if (signal.aborted) return
      setProblem(problemOfPhoto(error))
    } finally {
      if (!signal.aborted) setBusy(false)
    }
  }
  return (
    <>
      <Button
        className="h-14"
        isPending={isBusy}
        icon={<ImageIcon size={20} aria-hidden />}
        onPress={() => input.current?.click()}
      >
        {words.labelPhoto}
      </Button>
      <input
        ref={input}
        type="file"
        accept="image/*"
        tabIndex={-1}
        hidden
        data-testid="label-photo"
        onChange={({ target }) => {
          const [photo] = target.files ?? []
          if (photo) void take(photo)
          target.value = '' // the same file may be chosen again
        }}
      />
      {problem === undefined ? null : <Notice tone="warning" role="alert" title={problem} />}
    </>
  )
}

function problemOfPhoto(error: unknown): string {
  if (error instanceof NoPicture) return words.noPicture
  if (error instanceof ScanError) return words.scanProblems[error.problem]
  console.info('The photo could not be read.', error)
  return words.noCode
}
