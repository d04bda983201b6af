import { type ComponentType, createElement, type JSX, useEffect, useState } from 'react'
import { errorMessages } from '../messages/errors.ts'
import { Button } from './button.tsx'
import { Spinner } from './spinner.tsx'

/** Content that is not seen until something opens. */
export interface LateContent<Props extends object> {
  readonly Content: (props: Props) => JSX.Element
  /** Loads it, so that it is there at once when it opens. */
  readonly preload: () => void
}

/** Content that is loaded apart from its screen: when it opens, or before that by `preload`. It says while it loads, and when it cannot be loaded. */
export function lateContent<Props extends object>(load: () => Promise<ComponentType<Props>>): LateContent<Props> {
  let loaded: ComponentType<Props> | undefined
  const loadOnce = async (): Promise<ComponentType<Props>> => (loaded ??= await load())
  return {
    Content(props) {
      const [content, setContent] = useState(() => loaded)
      const [hasFailed, setFailed] = useState(false)
      // The network is outside of React.
      useEffect(() => {
        if (content) return
        let isOver = false
        loadOnce().then(
          (component) => isOver || setContent(() => component),
          (error: unknown) => {
            console.info('A part of the screen could not be loaded.', error)
            if (!isOver) setFailed(true)
          },
        )
        return () => void (isOver = true)
      }, [content])
      if (content) return createElement(content, props)
      return hasFailed ? <NotLoaded /> : <Loading />
    },
    preload() {
      loadOnce().catch((error: unknown) => console.info('A part of the screen is loaded when it opens.', error))
    },
  }
}

function Loading(): JSX.Element {
  return (
    <p role="status" className="flex items-center gap-2 p-3 text-body text-muted">
      <Spinner size={14} /> {errorMessages.partLoading}
    </p>
  )
}

/** Browsers may keep a failure of a script until the page is loaded again. */
export function NotLoaded(): JSX.Element {
  return (
    <div role="alert" className="flex flex-col items-start gap-3">
      <p className="text-body">{errorMessages.partNotLoaded}</p>
      <Button size="sm" onPress={() => location.reload()}>
        {errorMessages.reload}
      </Button>
    </div>
  )
}
