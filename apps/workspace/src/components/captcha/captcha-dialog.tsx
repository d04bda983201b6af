import { type RetryRefused, retryWithCaptcha } from '@holdfast/client'
import { createRoot } from 'react-dom/client'
import { captchaMessages as words } from '../../messages/captcha.ts'
import { Dialog } from '../dialog.tsx'
import { CaptchaFrame } from './captcha-frame.tsx'

let asking: Promise<string | undefined> | undefined

/** Sends a refused request again once the user has passed the captcha that it lacks. */
export const retryWithDialog: RetryRefused = (...refused) => retryWithCaptcha(...refused, askForCaptcha)

/** Shows the captcha over the page. @returns its response; `undefined` if the user closed it */
function askForCaptcha(): Promise<string | undefined> {
  // Two requests need two responses; the second user action is refused instead of stacking dialogs.
  if (asking) return asking.then(() => undefined)
  asking = show().finally(() => (asking = undefined))
  return asking
}

function show(): Promise<string | undefined> {
  const place = document.createElement('div')
  document.body.append(place)
  const root = createRoot(place)
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  root.render(
    <Dialog title={words.title} isOpen onClose={() => resolve(undefined)}>
      <div className="flex flex-col gap-4">
        <p>{words.lead}</p>
        <CaptchaFrame onPass={resolve} />
      </div>
    </Dialog>,
  )
  return promise.finally(() => {
    root.unmount()
    place.remove()
  })
}
