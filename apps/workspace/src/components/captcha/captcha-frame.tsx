import { type JSX, useEffect, useRef, useState } from 'react'
import { pageLanguage } from '../../lib/language.ts'
import { captchaMessages as words } from '../../messages/captcha.ts'
import { Button } from '../button.tsx'
import { Notice } from '../notice.tsx'
import { Spinner } from '../spinner.tsx'

/** Time in ms after which the widget counts as blocked. */
const LOAD_MS = 15_000

type Shown = 'loading' | 'loaded' | 'opened' | 'failed'

/**
 * The captcha of the server's provider, in a frame: only the frame may load from the provider.
 *
 * @param onPass - receives the response, which is good for one request
 */
export function CaptchaFrame({ onPass }: { readonly onPass: (response: string) => void }): JSX.Element {
  const frame = useRef<HTMLIFrameElement>(null)
  const [shown, setShown] = useState<Shown>('loading')
  const [attempt, setAttempt] = useState(0)
  // The frame is outside React.
  useEffect(() => {
    const listen = ({ data, origin, source }: MessageEvent<unknown>): void => {
      if (origin !== location.origin || source !== frame.current?.contentWindow) return
      const { captcha, token } = (data ?? {}) as { readonly captcha?: unknown; readonly token?: unknown }
      if (captcha === 'passed' && typeof token === 'string') onPass(token)
      else if (captcha === 'loaded' || captcha === 'closed') setShown('loaded')
      else if (captcha === 'opened' || captcha === 'failed') setShown(captcha)
    }
    addEventListener('message', listen)
    return () => removeEventListener('message', listen)
  }, [onPass])
  const isLoading = shown === 'loading'
  useEffect(() => {
    if (!isLoading) return
    const timer = setTimeout(() => setShown('failed'), LOAD_MS)
    return () => clearTimeout(timer)
  }, [isLoading])
  if (shown === 'failed')
    return (
      <Notice
        tone="warning"
        role="status"
        title={words.notLoaded}
        actions={
          <Button
            size="sm"
            onPress={() => {
              setShown('loading')
              setAttempt(attempt + 1)
            }}
          >
            {words.tryAgain}
          </Button>
        }
      >
        {words.notLoadedDetail}
      </Notice>
    )
  return (
    <div className="flex flex-col gap-2">
      {isLoading ? (
        <p role="status" className="flex items-center gap-2 text-small text-muted">
          <Spinner size={14} /> {words.loading}
        </p>
      ) : null}
      <iframe
        key={attempt}
        ref={frame}
        title={words.frame}
        // oxlint-disable-next-line react/iframe-missing-sandbox -- widgets need their origin; they may not navigate the page around the frame.
        sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox"
        src={`/app/v1/captcha?lang=${pageLanguage()}&theme=${isDark() ? 'dark' : 'light'}`}
        className={shown === 'opened' ? 'h-[38rem] w-full' : 'h-20 w-full'}
      />
    </div>
  )
}

function isDark(): boolean {
  const { theme } = document.documentElement.dataset
  return theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
}
