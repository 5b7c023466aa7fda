//! An address of the catalogue of errors.

use super::*;
use crate::playground::insight::{Ask, Item, LessonAsk};

fn addresses(page: &mut Page) -> Vec<String> {
    let effects = std::mem::take(&mut page.effects);
    let address = |effect| match effect {
        Effect::TellInsight(item) => match *item {
            Item::Address(fragment) => Some(fragment),
            _ => None,
        },
        _ => None,
    };
    effects.into_iter().filter_map(address).collect()
}

#[test]
fn an_address_of_an_error_opens_the_catalogue_and_back_leaves_it_there() {
    let mut page = Page::open();
    page.effects.clear();
    page.news(News::FragmentChanged("error=compacted".to_owned()));
    assert_eq!(page.model.lower, Lower::Errors);
    let shown = page.effects.iter().any(|it| matches!(it, Effect::ShowInsight(Lower::Errors)));
    assert!(shown, "{:?}", page.effects);
    assert_eq!(addresses(&mut page), ["error=compacted"]);
    // The program was not there when it was told.
    page.news(News::InsightLoaded(Ok(())));
    assert_eq!(addresses(&mut page), ["error=compacted"]);
    let chosen = LessonAsk::Address { fragment: "error=no-leader".to_owned(), push: true };
    page.news(News::InsightAsked(Ask::Lesson(chosen)));
    assert!(matches!(page.effects.last(), Some(Effect::SetFragment { push: true, .. })));
    page.news(News::FragmentChanged("lesson=04/1".to_owned()));
    assert_eq!(addresses(&mut page), ["lesson=04/1"]);
    assert_eq!(page.model.lower, Lower::Errors);
}
