"""`companion hub`: collect the tables' journals and show the tournament."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click


@click.command(name="hub")
@click.option(
    "--config", "config_path", type=click.Path(path_type=Path), help="Configuration file instead of hub.toml."
)
@click.option("--listen", metavar="ADDRESS:PORT", help="Where the page is served; port 0 takes a free one.")
@click.option("--allow-lan", is_flag=True, help="Let other machines open the page; nobody is asked who they are.")
@click.option("--state", type=click.Path(path_type=Path, file_okay=False), help="Folder of the hub's store.")
@click.option(
    "--table", "tables", multiple=True, metavar="URL", help="http://HOST:PORT or unix:/PATH; may be repeated."
)
@click.option("--lang", type=click.Choice(["nl", "en", "it", "cs"]), help="Language of pages that ask for none.")
def command(
    config_path: Path | None,
    listen: str | None,
    allow_lan: bool,
    state: Path | None,
    tables: tuple[str, ...],
    lang: str | None,
) -> None:
    """Collect the journals of all tables and serve the tournament's page.

    Options win over the configuration file; tables given here are visited beside those of the file.
    """
    from companion.config.reading import load_hub
    from companion.hub.bootstrap import Hub, run_hub
    from companion.hub.settings import merged
    from companion.hw.process import close_memory

    close_memory()
    config = merged(load_hub(config_path), listen=listen, allow_lan=allow_lan, state=state, tables=tables, lang=lang)

    def ready(hub: Hub) -> None:
        click.echo(f"hub: {hub.url}")

    asyncio.run(run_hub(config, ready))
