import { type ComponentType, createElement, type JSX } from 'react'
import { createPortal } from 'react-dom'
import { isOnDevice } from '../lib/is-on-device.ts'
import { latePart, useLatePart } from '../lib/late-part.ts'
import { errorMessages } from '../messages/errors.ts'
import { ReloadButton } from './reload-button.tsx'
import { Spinner } from './spinner.tsx'

/** A lazily loaded component. */
export interface LateContent<Props extends object> {
  readonly Content: (props: Props) => JSX.Element | null
  /** Loads the code in advance. */
  readonly preload: () => void
}

type Load<Props extends object> = () => Promise<ComponentType<Props>>

/** Lazy content within the screen, with loading and error states. */
export function lateContent<Props extends object>(load: Load<Props>): LateContent<Props> {
  return createLateContent(load, {
    loading: <Loading />,
    failed: (
      <div className="p-4">
        <NotLoaded />
      </div>
    ),
  })
}

/** A lazy dialog or panel. Nothing shows while it loads; a failure is reported over the screen. */
export function lateLayer<Props extends object>(load: Load<Props>): LateContent<Props> {
  return createLateContent(load, { loading: null, failed: <LayerNotLoaded /> })
}

/** A lazy optional detail: absent until loaded. */
export function lateDetail<Props extends object>(load: Load<Props>): LateContent<Props> {
  return createLateContent(load, { loading: null, failed: null })
}

/** Delay in ms before loading details, so that the screen loads first; longer on a first visit, when everything is fetched. */
const FIRST_MS = 1_000
const FIRST_VISIT_MS = 6_000

/** Returns the delay for details not needed by the first grid. */
export function firstVisitMs(): number {
  return isOnDevice() ? FIRST_MS : FIRST_VISIT_MS
}

/**
 * A {@link lateDetail} that loads once the screen is painted and the browser idle.
 *
 * @param firstMs - minimum delay in ms
 */
export function lazyAfterPaint<Props extends object>(
  load: Load<Props>,
  firstMs: () => number = () => FIRST_MS,
): (props: Props) => JSX.Element | null {
  return lateDetail<Props>(async () => {
    await painted(firstMs())
    return load()
  }).Content
}

/** Creates the component, with a placeholder while loading. Failed loads are retried ({@link useLatePart}). */
function createLateContent<Props extends object>(
  load: Load<Props>,
  { loading, failed }: { readonly loading: JSX.Element | null; readonly failed: JSX.Element | null },
): LateContent<Props> {
  const late = latePart(load)
  return {
    Content(props) {
      const { part, hasFailed } = useLatePart(late, true)
      if (part) return createElement(part, props)
      return hasFailed ? failed : loading
    },
    preload: late.preload,
  }
}

function painted(firstMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(() => {
      // Safari has no requestIdleCallback.
      if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve())
      else resolve()
    }, firstMs)
  })
}

function Loading(): JSX.Element {
  return (
    <p role="status" className="flex items-center gap-2 p-3 text-body text-muted">
      <Spinner size={14} /> {errorMessages.partLoading}
    </p>
  )
}

/** Offers a reload, because some browsers cache a script's failure until then. */
function NotLoaded(): JSX.Element {
  return (
    <div role="alert" className="flex flex-col items-start gap-3">
      <p className="text-body">{errorMessages.partNotLoaded}</p>
      <ReloadButton size="sm" />
    </div>
  )
}

/** Shown in place of a menu, popover or dialog whose script failed to load, until the user closes it. */
export function LayerNotLoaded(): JSX.Element {
  return createPortal(
    <div className="fixed inset-x-4 bottom-16 z-50 mx-auto max-w-lg rounded-lg border border-border bg-raised p-4 text-text shadow-popover tablet:bottom-6">
      <NotLoaded />
    </div>,
    document.body,
  )
}
