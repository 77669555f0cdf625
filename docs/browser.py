"""Look at every page of the built site in a browser, as a reader would.

    python docs/browser.py build/site

A page must have no formula left as text, none that MathJax refuses, nothing on the console, no
picture that does not load, no request to another host, and nothing that makes the page itself
scroll sideways. Whatever Chromium or Chrome there is goes from page to page without a window, twice
at once. Each page is loaded in a frame and typeset once, and then looked at in each width. Where
there is no browser that is said, and nothing is checked.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
#: Seconds for one page before the whole look is given up.
PATIENCE = 120
#: How wide the frame is: a laptop, and a telephone.
WIDTHS = (1280, 420)
#: Browsers at once, each with its share of the pages.
BROWSERS = 2
#: What stands around a page.
FRAME = f'<!doctype html><iframe src="%s" style="border: 0; width: {WIDTHS[0]}px; height: 900px">'

#: Stands first in every page: it notes what goes wrong, says it when the page is done, and goes on.
WATCH = """
<script>
(() => {
  if (window === top || parent !== top) return;  // a page inside of another is one of the pages
  const faults = [];
  const say = (kind, what) => faults.push(kind + ": " + String(what).slice(0, 300));
  for (const level of ["error", "warn"]) {
    const others = console[level];
    console[level] = (...what) => { say("console", what.join(" ")); others(...what); };
  }
  addEventListener("error", e => say("error", e.message || (e.target.src || e.target.href) +
    " does not load"), true);
  addEventListener("unhandledrejection", e => say("error", e.reason));
  addEventListener("securitypolicyviolation", e => say("another host", e.blockedURI));
  const WIDTHS = _WIDTHS;
  const hidden = "script, style, pre, code, textarea, mjx-container, .mjx-watched";
  const layout = at => {
    for (const c of document.querySelectorAll("td, th"))
      if (c.clientWidth && c.clientWidth < 70 && c.clientHeight > 160)
        say("narrow column", c.textContent.trim() + at);
    for (const c of document.querySelectorAll("pre > code")) {
      const longest = Math.max(...c.textContent.split("\\n").map(line => line.length));
      if (innerWidth > 1200 && longest <= 100 && c.scrollWidth > c.clientWidth)
        say("output scrolls", longest + " characters: " + c.textContent.trim());
    }
    const wide = document.documentElement.scrollWidth - innerWidth;
    if (wide > 1) say("too wide", "the page is " + wide + " pixels wider than the window" + at);
    const claims = location.pathname.includes("/claims/");
    const tall = document.documentElement.scrollHeight;
    if (claims && tall > 3000) say("too tall", tall + " pixels" + at);
  };
  const look = async () => {
    if (window.MathJax && MathJax.startup) await MathJax.startup.promise;
    await document.fonts.ready;
    const text = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (text.nextNode()) {
      const node = text.currentNode;
      if (node.parentElement.closest(hidden)) continue;
      const raw = node.data.match(/.{0,20}(\\\\[()\\[\\]]|\\\\[a-zA-Z]{2,}|\\$\\$).{0,40}/);
      if (raw) say("raw formula", raw[0]);
    }
    for (const f of document.querySelectorAll(".arithmatex"))
      if (!f.querySelector("mjx-container")) say("not typeset", f.textContent);
    for (const f of document.querySelectorAll("mjx-merror, [data-mjx-error]"))
      say("refused formula", f.getAttribute("data-mjx-error") || f.textContent);
    for (const i of document.images)
      if (i.complete && !i.naturalWidth) say("picture", i.src + " does not load");
    for (const width of WIDTHS) {
      frameElement.style.width = width + "px";
      layout(` (${width} wide)`);
    }
    frameElement.style.width = WIDTHS[0] + "px";
    const sent = await fetch("/--looked", { method: "POST", body: JSON.stringify({
      page: location.pathname, faults, formulas: document.querySelectorAll("mjx-container").length,
    })});
    const next = await sent.text();
    if (next) location.replace(next);
  };
  addEventListener("load", () => look().catch(e => fetch("/--looked", { method: "POST",
    body: JSON.stringify({ page: location.pathname, faults: ["error: " + e], formulas: 0 }),
  }).then(r => r.text()).then(next => { if (next) location.replace(next); })));
})();
</script>
""".replace("_WIDTHS", str(list(WIDTHS)))
#: The browser itself tells where a page wants something of another host, and lets nothing out.
POLICY = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:"

#: What the search knows. Every page makes an index of it, which takes as long as the page itself:
#: only the first page has all of it.
INDEX = "search_index.json"


@dataclass
class Look:
    """What was seen: pages still to come, and what was found on those that were looked at."""

    pages: list[str]
    faults: dict[str, list[str]] = field(default_factory=dict)
    formulas: int = 0
    changed: threading.Condition = field(default_factory=threading.Condition)

    def take(self, report: dict[str, Any]) -> str:
        """Note what a page reports, and say which is next."""
        with self.changed:
            self.faults.setdefault(report["page"], []).extend(report["faults"])
            self.formulas += report["formulas"]
            self.changed.notify_all()
            return self.next()

    def next(self) -> str:
        """The next page that was not looked at; nothing at the end."""
        return next((p for p in self.pages if p not in self.faults), "")


class Handler(SimpleHTTPRequestHandler):
    """Serves the site with the watch in each page."""

    def __init__(self, *args: Any, look: Look, **more: Any):
        self.look = look
        super().__init__(*args, **more)

    def do_GET(self) -> None:
        """A page with the watch in it, or any other file."""
        path = Path(self.translate_path(self.path))
        if self.path.startswith("/--frame"):
            return self._answer(FRAME % self.look.next(), "text/html; charset=utf-8")
        if path.is_dir():
            path = path / "index.html"
        if path.name == INDEX:
            index = json.loads(path.read_text(encoding="utf-8"))
            some = {"docs": []} if self.look.faults else {}
            return self._answer(json.dumps(index | some), "application/json")
        if path.suffix != ".html" or not path.is_file():
            return super().do_GET()
        text = path.read_text(encoding="utf-8")
        return self._answer(text.replace("<head>", "<head>" + WATCH, 1), "text/html; charset=utf-8")

    def do_POST(self) -> None:
        """What the watch says; the answer is where to go next."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(self.look.take(json.loads(body)), "text/plain")

    def _answer(self, text: str, kind: str) -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        with suppress(ConnectionError):  # the browser went on from a page with a frame
            self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


def browser() -> str | None:
    """Whatever Chromium or Chrome there is."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def pages_of(site: Path) -> list[str]:
    """All pages of a site, as a browser asks for them."""
    found = sorted(p.relative_to(site).as_posix() for p in site.rglob("*.html"))
    return [f"/{p.removesuffix('index.html')}" for p in found if p != "404.html"]


def looked_at(site: Path, program: str, pages: Sequence[str] = ()) -> Look:
    """Look at the pages of a site, in each width.

    Raises
    ------
    TimeoutError
        If the browser does not go on; it names the page.
    """
    look = Look(list(pages or pages_of(site)))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, look=look, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    start = f"http://127.0.0.1:{server.server_address[1]}/--frame"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = ["--headless", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            options.append("--no-sandbox")  # Chromium refuses to start as root with it
        running = subprocess.Popen(
            [program, *options, f"--user-data-dir={profile}", "--window-size=1300,1000", start],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            with look.changed:
                while (page := look.next()) != "":
                    if not look.changed.wait(PATIENCE):
                        raise TimeoutError(f"{program} did not come back from {page}")
        finally:
            running.terminate()
            running.wait()
            server.shutdown()
            server.server_close()
    return look


def main(site: Path) -> int:
    """Print what is wrong, and return 1 if anything is."""
    program = browser()
    if program is None:
        print(f"skipped: there is no browser here to look with ({', '.join(NAMES)})")
        return 0
    pages = pages_of(site)
    shares = [share for k in range(BROWSERS) if (share := pages[k::BROWSERS])]
    with ThreadPoolExecutor() as at_once:
        looks = list(at_once.map(partial(looked_at, site, program), shares))
    found = {page: dict.fromkeys(some) for look in looks for page, some in look.faults.items()}
    for page, some in found.items():
        for fault in some:
            print(f"{page}: {fault}")
    faults = sum(map(len, found.values()))
    formulas = sum(look.formulas for look in looks)
    widths = " and ".join(map(str, WIDTHS))
    print(f"{len(found)} pages, {widths} wide: {formulas} formulas typeset, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
