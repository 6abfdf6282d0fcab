// Search on pages that were opened from a disk. Browsers start no workers there, so the worker's code runs in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.onmessage = null
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      this.begun = new Promise((resolve) => (this.frame.onload = resolve))
      this.frame.srcdoc =
        "<body><script>" +
        "var load = (url) => new Promise((resolve, reject) => { var script = document.createElement('script');" +
        " script.src = url; script.onload = resolve; script.onerror = reject; document.body.append(script) });" +
        "var importScripts = (...urls) => urls.reduce((last, url) => last.then(() => load(url)), Promise.resolve());" +
        "var postMessage = (data) => frameElement.answer(data)" +
        `</script><script src="${new URL(url, location)}"></script></body>`
      this.frame.answer = (data) => {
        const event = new MessageEvent("message", { data })
        this.dispatchEvent(event)
        if (this.onmessage) this.onmessage(event)
      }
      document.body.append(this.frame)
    }
    postMessage(data) {
      this.begun.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })))
    }
    terminate() {
      this.frame.remove()
    }
  }
}
