// Runs before the first paint so that a fixed theme does not flash. The setting is written by src/lib/appearance.ts.
;(function () {
  try {
    var look = JSON.parse(localStorage.getItem('hf-appearance') || '{}')
    var root = document.documentElement
    if (look.theme === 'light' || look.theme === 'dark') root.dataset.theme = look.theme
    if (look.density) root.dataset.density = look.density
    if (look.motion === 'reduced') root.dataset.motion = 'reduced'
  } catch (error) {
    console.warn('The appearance settings could not be read; the system theme is used.', error)
  }
  var language = 'en'
  try {
    // The language of the page: what was chosen on this device, else the first of the browser's that the app has
    // (src/lib/language.ts). The component library reads its own from a property of the window.
    var languages = [localStorage.getItem('hf-language')].concat(navigator.languages || [navigator.language])
    for (var i = 0; i < languages.length; i++) {
      var found = /^(en|de)(-|$)/.exec(languages[i] || '')
      if (found) {
        language = found[1]
        break
      }
    }
  } catch (error) {
    console.warn('The language could not be read; it is English.', error)
  }
  document.documentElement.lang = language
  // The build writes addresses of files here (vite.config.ts).
  function load(name, rel) {
    var parts = document.querySelector('meta[name="' + name + '"]')
    var addresses = parts ? parts.content.split(' ') : []
    for (var part = 0; part < addresses.length; part++) {
      var link = document.createElement('link')
      link.rel = rel
      link.href = addresses[part]
      document.head.appendChild(link)
    }
  }
  try {
    var isIn = localStorage.getItem('holdfast-auth') !== null
    // Whoever is signed in on this device sees the frame of the app at once (index.html).
    if (isIn && /^\/($|w(\/|$)|account(\/|$))/.test(location.pathname)) {
      document.documentElement.dataset.session = ''
      // The scripts of the first screen come beside the first one, not after it.
      load('first-parts', 'modulepreload')
    }
    // While somebody types a password, the browser fetches what comes next.
    var savesData = navigator.connection && navigator.connection.saveData
    if (!isIn && !savesData && /^\/($|w(\/|$)|sign-in|welcome)/.test(location.pathname)) {
      addEventListener('load', function () {
        load('first-parts', 'prefetch')
        load('worker-parts', 'prefetch')
      })
    }
  } catch (error) {
    console.warn('Without storage there is no session to come back to.', error)
  }
})()
