"""What people write for their tests without lightsim: a server that answers one canned document over TLS.

usage: canned.py FOLDER     with cert.pem, key.pem and canned.json in it; prints its port.
"""

import asyncio
import pathlib
import ssl
import sys

from aiohttp import web

folder = pathlib.Path(sys.argv[1])
document = (folder / "canned.json").read_text()


async def light(request: web.Request) -> web.Response:
    if "hue-application-key" not in request.headers:
        return web.Response(status=403)
    return web.Response(text=document, content_type="application/json")


async def main() -> None:
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    app = web.Application()
    app.router.add_get("/clip/v2/resource/light/{id}", light)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
